import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AiOperatorModule } from '@domains/ai';
import { AuditModule } from '@platform/audit';
import { InvoicesOperatorModule } from '@domains/invoices';
import { CreditRequestsOperatorService } from './operator/credit-requests-operator.service';
import { CreditRequest } from './entities/credit-request.entity';

@Module({
  imports: [TypeOrmModule.forFeature([CreditRequest]), AiOperatorModule, AuditModule, InvoicesOperatorModule],
  providers: [CreditRequestsOperatorService],
  exports: [CreditRequestsOperatorService],
})
export class CreditRequestsOperatorModule {}
