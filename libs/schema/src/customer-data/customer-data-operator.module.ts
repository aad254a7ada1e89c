import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Customer } from '@domains/customers';
import { AuditModule } from '@platform/audit';
import { CustomerDataOperatorService } from './customer-data-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([Customer]), AuditModule],
  providers: [CustomerDataOperatorService],
  exports: [CustomerDataOperatorService],
})
export class CustomerDataOperatorModule {}
