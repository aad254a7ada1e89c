import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Customer } from '@domains/customers';
import { AuditModule } from '@platform/audit';
import { CustomerErasureOperatorService } from './customer-erasure-operator.service';
import { CustomerExportOperatorService } from './customer-export-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([Customer]), AuditModule],
  providers: [CustomerErasureOperatorService, CustomerExportOperatorService],
  exports: [CustomerErasureOperatorService, CustomerExportOperatorService],
})
export class CustomerDataOperatorModule {}
