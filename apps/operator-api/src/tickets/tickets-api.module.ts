import { Module } from '@nestjs/common';
import { SupportOperatorModule } from '@domains/support';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { RequestPipelineModule } from '../request-pipeline.module';
import { TicketsController } from './tickets.controller';

@Module({
  imports: [CustomerNamesModule, RequestPipelineModule, SupportOperatorModule],
  controllers: [TicketsController],
})
export class TicketsApiModule {}
