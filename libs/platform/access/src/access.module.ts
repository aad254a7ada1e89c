import { Module } from '@nestjs/common';
import { TokensModule } from '@platform/tokens';
import { RateLimitModule } from './rate-limit/rate-limit.module';

/** Who calls, what they may, how often: everything the global guards need. */
@Module({ imports: [RateLimitModule, TokensModule], exports: [RateLimitModule, TokensModule] })
export class AccessModule {}
