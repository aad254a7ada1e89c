import { Module } from '@nestjs/common';
import { TokensModule } from '@platform/tokens';
import { RateLimitModule } from './rate-limit/rate-limit.module';

/** Providers of the global guards: authentication, scopes, rate limits. */
@Module({ imports: [RateLimitModule, TokensModule], exports: [RateLimitModule, TokensModule] })
export class AccessModule {}
