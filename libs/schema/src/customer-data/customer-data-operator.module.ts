import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Customer } from '@domains/customers';
import { AuditModule } from '@platform/audit';
import { MaintenanceOperatorModule } from '@platform/maintenance';
import { CustomerErasureOperatorService } from './customer-erasure-operator.service';
import { CustomerExportOperatorService } from './customer-export-operator.service';
import { ErasureCheckOperatorService } from './erasure-check-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([Customer]), AuditModule, MaintenanceOperatorModule],
  providers: [CustomerErasureOperatorService, CustomerExportOperatorService, ErasureCheckOperatorService],
  exports: [CustomerErasureOperatorService, CustomerExportOperatorService],
})
export class CustomerDataOperatorModule {}
