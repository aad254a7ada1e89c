import { Module } from '@nestjs/common';
import { TokenAuthenticatorService } from './token-authenticator.service';
import { TokenChangeListenerService } from './token-change-listener.service';
import { TokenUseRecorderService } from './token-use-recorder.service';

/** Authentication of service tokens: look-up, cache, and recording of their use. */
@Module({
  providers: [TokenAuthenticatorService, TokenChangeListenerService, TokenUseRecorderService],
  exports: [TokenAuthenticatorService, TokenChangeListenerService],
})
export class TokensModule {}
