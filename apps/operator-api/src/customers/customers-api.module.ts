import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { CreditRequestsOperatorModule } from '@domains/credit-requests';
import { CustomersOperatorModule } from '@domains/customers';
import { InvoicesOperatorModule } from '@domains/invoices';
import { ServicesOperatorModule } from '@domains/services';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { TokensOperatorModule } from '@platform/tokens';
import { CustomerDataOperatorModule } from '@schema';
import { CustomerDataController } from './customer-data.controller';
import { CustomerOverviewService } from './customer-overview.service';
import { CustomersController } from './customers.controller';

@Module({
  imports: [
    ...[AiOperatorModule, CreditRequestsOperatorModule, CustomerDataOperatorModule, CustomersOperatorModule],
    ...[InvoicesOperatorModule, ServicesOperatorModule, StatusOperatorModule, SupportOperatorModule],
    TokensOperatorModule,
  ],
  controllers: [CustomersController, CustomerDataController],
  providers: [CustomerOverviewService],
})
export class CustomersApiModule {}
