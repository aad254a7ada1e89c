import { Module } from '@nestjs/common';
import { AddressLimit } from './address-limit';
import { RateLimitStorageService } from './rate-limit-storage.service';

/** Limits per network address and per customer. */
@Module({
  providers: [AddressLimit, RateLimitStorageService],
  exports: [AddressLimit, RateLimitStorageService],
})
export class RateLimitModule {}
