import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerServiceEntity } from '@domains/services';
import { ServiceStatusService } from './customer/service-status.service';
import { StatusEvent } from './entities/status-event.entity';

@Module({
  imports: [TypeOrmModule.forFeature([CustomerServiceEntity, StatusEvent])],
  providers: [ServiceStatusService],
  exports: [ServiceStatusService],
})
export class StatusModule {}
