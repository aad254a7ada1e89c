import { Module } from '@nestjs/common';
import { ServiceChangesOperatorModule, ServicesOperatorModule } from '@domains/services';
import { AiOperatorModule } from '@domains/ai';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { ServicesController } from './services.controller';

@Module({
  imports: [ServicesOperatorModule, ServiceChangesOperatorModule.with(AiOperatorModule), CustomerNamesModule],
  controllers: [ServicesController],
})
export class ServicesApiModule {}
