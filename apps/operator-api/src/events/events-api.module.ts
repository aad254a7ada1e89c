import { Module } from '@nestjs/common';
import { EventsOperatorModule } from '@domains/events';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { EventLogController } from './event-log.controller';

@Module({ imports: [CustomerNamesModule, EventsOperatorModule], controllers: [EventLogController] })
export class EventsApiModule {}
