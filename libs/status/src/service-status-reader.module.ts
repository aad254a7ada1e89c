import { Module } from '@nestjs/common';
import { ServiceStatusReader } from './service-status-reader';

/** Status of customers' own services. */
@Module({ providers: [ServiceStatusReader], exports: [ServiceStatusReader] })
export class ServiceStatusReaderModule {}
