import { Module } from '@nestjs/common';
import { AuditModule } from '@platform/audit';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { AuditController } from './audit.controller';

@Module({
  imports: [AuditModule, CustomerNamesModule],
  controllers: [AuditController],
})
export class AuditApiModule {}
