import { Module } from '@nestjs/common';
import { CreditRequestsOperatorModule } from '@domains/credit-requests';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { CreditRequestsController } from './credit-requests.controller';

@Module({ imports: [CreditRequestsOperatorModule, CustomerNamesModule], controllers: [CreditRequestsController] })
export class CreditRequestsApiModule {}
