import { Module } from '@nestjs/common';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { TokenAuthenticator } from './tokens/token-authenticator';
import { TokenChangeListener } from './tokens/token-change-listener';
import { TokenUseRecorder } from './tokens/token-use-recorder';

/** Who calls, what they may, how often: everything the global guards need. */
@Module({
  imports: [RateLimitModule],
  providers: [TokenAuthenticator, TokenChangeListener, TokenUseRecorder],
  exports: [RateLimitModule, TokenAuthenticator, TokenChangeListener],
})
export class AccessModule {}
