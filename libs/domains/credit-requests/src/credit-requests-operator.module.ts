import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AiOperatorModule } from '@domains/ai';
import { AuditModule } from '@platform/audit';
import { InvoicesOperatorModule } from '@domains/invoices';
import { OperatorAccountsModule } from '@platform/operator-accounts';
import { CreditRequestsOperatorService } from './operator/credit-requests-operator.service';
import { CreditRequestApproval } from './entities/credit-request-approval.entity';
import { CreditRequest } from './entities/credit-request.entity';

@Module({
  imports: [
    TypeOrmModule.forFeature([CreditRequest, CreditRequestApproval]),
    AiOperatorModule,
    AuditModule,
    InvoicesOperatorModule,
    OperatorAccountsModule,
  ],
  providers: [CreditRequestsOperatorService],
  exports: [CreditRequestsOperatorService],
})
export class CreditRequestsOperatorModule {}
