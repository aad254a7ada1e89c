import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ServicesService } from './customer/services.service';
import { CustomerServiceEntity } from './entities/customer-service.entity';

@Module({
  imports: [TypeOrmModule.forFeature([CustomerServiceEntity])],
  providers: [ServicesService],
  exports: [ServicesService],
})
export class ServicesModule {}
