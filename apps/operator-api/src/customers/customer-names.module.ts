import { Module } from '@nestjs/common';
import { CustomersOperatorModule } from '@domains/customers';
import { CustomerNamesService } from './customer-names.service';

@Module({ imports: [CustomersOperatorModule], providers: [CustomerNamesService], exports: [CustomerNamesService] })
export class CustomerNamesModule {}
