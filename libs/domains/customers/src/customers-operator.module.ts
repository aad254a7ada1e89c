import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { Customer } from './entities/customer.entity';
import { CustomersOperatorService } from './operator/customers-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([Customer]), AuditModule],
  providers: [CustomersOperatorService],
  exports: [CustomersOperatorService],
})
export class CustomersOperatorModule {}
