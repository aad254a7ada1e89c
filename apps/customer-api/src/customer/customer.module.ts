import { Module } from '@nestjs/common';
import { CustomerProfilesModule } from '@app/customers';
import { CustomerController } from './customer.controller';

/** `/customer` */
@Module({ imports: [CustomerProfilesModule], controllers: [CustomerController] })
export class CustomerModule {}
