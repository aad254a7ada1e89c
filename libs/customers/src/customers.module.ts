import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { Customer } from './customer.entity';
import { Customers } from './customers';

/** The operator's customers. */
@Module({ imports: [TypeOrmModule.forFeature([Customer]), AuditModule], providers: [Customers], exports: [Customers] })
export class CustomersModule {}
