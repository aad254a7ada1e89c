import { Module } from '@nestjs/common';
import { RateLimitStorage } from './rate-limit-storage';

/** The counts. */
@Module({ providers: [RateLimitStorage], exports: [RateLimitStorage] })
export class RateLimitStorageModule {}
