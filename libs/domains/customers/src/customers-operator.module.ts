import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { StoredBytes } from '@platform/database';
import { Customer } from './entities/customer.entity';
import { CustomerImportOperatorService } from './operator/customer-import-operator.service';
import { CustomerLookupOperatorService } from './operator/customer-lookup-operator.service';
import { CustomersOperatorService } from './operator/customers-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([Customer, StoredBytes]), AuditModule],
  providers: [CustomerImportOperatorService, CustomerLookupOperatorService, CustomersOperatorService],
  exports: [CustomerImportOperatorService, CustomerLookupOperatorService, CustomersOperatorService],
})
export class CustomersOperatorModule {}
