import { Module } from '@nestjs/common';
import { ServicesOperatorModule } from '@domains/services';
import { StatusOperatorModule } from '@domains/status';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { StatusEventsController } from './status-events.controller';

@Module({
  imports: [StatusOperatorModule, ServicesOperatorModule, CustomerNamesModule],
  controllers: [StatusEventsController],
})
export class StatusApiModule {}
