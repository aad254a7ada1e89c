import { Module } from '@nestjs/common';
import { ServicesService } from './customer/services.service';

@Module({ providers: [ServicesService], exports: [ServicesService] })
export class ServicesModule {}
