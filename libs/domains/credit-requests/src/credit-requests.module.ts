import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { PendingCreditRequestsPort } from '@domains/ai';
import { CreditRequestsService } from './customer/credit-requests.service';
import { CreditRequest } from './entities/credit-request.entity';

@Module({
  imports: [TypeOrmModule.forFeature([CreditRequest])],
  providers: [CreditRequestsService, { provide: PendingCreditRequestsPort, useExisting: CreditRequestsService }],
  exports: [CreditRequestsService, PendingCreditRequestsPort],
})
export class CreditRequestsModule {}
