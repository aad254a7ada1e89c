import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { SecretsModule } from '@app/secrets';
import { CustomerService } from './customer-service.entity';
import { CustomerServices } from './customer-services';

/** The operator's way to customers' services. */
@Module({
  imports: [TypeOrmModule.forFeature([CustomerService]), AuditModule, SecretsModule],
  providers: [CustomerServices],
  exports: [CustomerServices],
})
export class CustomerServicesModule {}
