import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@platform/audit';
import { SecretsModule } from '@platform/secrets';
import { CustomerServiceEntity } from './entities/customer-service.entity';
import { ServicesOperatorService } from './operator/services-operator.service';

@Module({
  imports: [TypeOrmModule.forFeature([CustomerServiceEntity]), AuditModule, SecretsModule],
  providers: [ServicesOperatorService],
  exports: [ServicesOperatorService],
})
export class ServicesOperatorModule {}
