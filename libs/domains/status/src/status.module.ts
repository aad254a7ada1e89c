import { Module } from '@nestjs/common';
import { ServiceStatusService } from './customer/service-status.service';

@Module({ providers: [ServiceStatusService], exports: [ServiceStatusService] })
export class StatusModule {}
