import { Module } from '@nestjs/common';
import { ServiceStatusService } from './customer/service-status.service';

/** Status of customers' own services. */
@Module({ providers: [ServiceStatusService], exports: [ServiceStatusService] })
export class StatusModule {}
