import { Module } from '@nestjs/common';
import { ServicesOperatorModule } from '@domains/services';
import { AiOperatorModule } from '@domains/ai';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { ServicesController } from './services.controller';

@Module({
  imports: [ServicesOperatorModule, AiOperatorModule, CustomerNamesModule],
  controllers: [ServicesController],
})
export class ServicesApiModule {}
