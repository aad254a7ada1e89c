import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerServiceEntity } from './entities/customer-service.entity';
import { ServicesOperatorService } from './operator/services-operator.service';

/** Reads of services; changes are in `ServiceChangesOperatorModule`. */
@Module({
  imports: [TypeOrmModule.forFeature([CustomerServiceEntity])],
  providers: [ServicesOperatorService],
  exports: [ServicesOperatorService],
})
export class ServicesOperatorModule {}
