import { Module } from '@nestjs/common';
import { CreditRequestsModule } from '@domains/credit-requests';
import { CreditRequestsController } from './credit-requests.controller';

@Module({ imports: [CreditRequestsModule], controllers: [CreditRequestsController] })
export class CreditRequestsApiModule {}
