import { Module } from '@nestjs/common';
import { EventsModule } from '@domains/events';
import { EventsController } from './events.controller';

@Module({ imports: [EventsModule], controllers: [EventsController] })
export class EventsApiModule {}
