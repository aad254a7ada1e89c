import { Module } from '@nestjs/common';
import { ServicesService } from './customer/services.service';

/** Customers' own services. */
@Module({ providers: [ServicesService], exports: [ServicesService] })
export class ServicesModule {}
