import { Module } from '@nestjs/common';
import { TokenAuthenticatorService } from './token-authenticator.service';
import { TokenChangeListenerService } from './token-change-listener.service';

/** Authentication of service tokens: look-up, cache, and recording of their use. */
@Module({
  providers: [TokenAuthenticatorService, TokenChangeListenerService],
  exports: [TokenAuthenticatorService, TokenChangeListenerService],
})
export class TokensModule {}
