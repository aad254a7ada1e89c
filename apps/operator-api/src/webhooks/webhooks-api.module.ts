import { Module } from '@nestjs/common';
import { WebhooksOperatorModule } from '@domains/events';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { WebhooksController } from './webhooks.controller';

@Module({
  imports: [WebhooksOperatorModule, CustomerNamesModule],
  controllers: [WebhooksController],
})
export class WebhooksApiModule {}
