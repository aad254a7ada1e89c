import { Module } from '@nestjs/common';
import { CustomerServiceReader } from './customer-service-reader';

/** Customers' own services. */
@Module({ providers: [CustomerServiceReader], exports: [CustomerServiceReader] })
export class CustomerServiceReaderModule {}
