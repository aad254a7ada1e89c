import { Module } from '@nestjs/common';
import { ServicesOperatorModule } from '@domains/services';
import { SupportOperatorModule } from '@domains/support';
import { AuditModule } from '@platform/audit';
import { TokensOperatorModule } from '@platform/tokens';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { AuditController } from './audit.controller';
import { AuditedNamesService } from './audited-names.service';

@Module({
  imports: [AuditModule, CustomerNamesModule, TokensOperatorModule, SupportOperatorModule, ServicesOperatorModule],
  providers: [AuditedNamesService],
  controllers: [AuditController],
})
export class AuditApiModule {}
