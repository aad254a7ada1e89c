import { Module } from '@nestjs/common';
import { CustomerProfiles } from './customer-profiles';

/** Customers' own profile. */
@Module({ providers: [CustomerProfiles], exports: [CustomerProfiles] })
export class CustomerProfilesModule {}
