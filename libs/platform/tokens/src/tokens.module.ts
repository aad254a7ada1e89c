import { Module } from '@nestjs/common';
import { TokenAuthenticatorService } from './authentication/token-authenticator.service';
import { TokenChangeListenerService } from './authentication/token-change-listener.service';
import { TokenUseRecorderService } from './authentication/token-use-recorder.service';

/** Whose a service token is: look-up, the changes that end what is remembered of it, and when it was used. */
@Module({
  providers: [TokenAuthenticatorService, TokenChangeListenerService, TokenUseRecorderService],
  exports: [TokenAuthenticatorService, TokenChangeListenerService],
})
export class TokensModule {}
