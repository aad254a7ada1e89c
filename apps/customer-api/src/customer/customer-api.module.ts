import { Module } from '@nestjs/common';
import { CustomersModule } from '@domains/customers';
import { CustomerController } from './customer.controller';

@Module({ imports: [CustomersModule], controllers: [CustomerController] })
export class CustomerApiModule {}
