import { Module } from '@nestjs/common';
import { CreditRequestsModule } from '@domains/credit-requests';
import { CreditRequestsController } from './credit-requests.controller';

/** `/ai/credit-requests` */
@Module({ imports: [CreditRequestsModule], controllers: [CreditRequestsController] })
export class CreditRequestsApiModule {}
