import { Module } from '@nestjs/common';
import { CustomerProfileService } from './customer/customer-profile.service';

@Module({ providers: [CustomerProfileService], exports: [CustomerProfileService] })
export class CustomersModule {}
