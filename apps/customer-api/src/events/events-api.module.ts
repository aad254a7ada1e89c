import { Module } from '@nestjs/common';
import { EventsModule } from '@domains/events';
import { TokensModule } from '@platform/tokens';
import { EventsController } from './events.controller';

@Module({ imports: [EventsModule, TokensModule], controllers: [EventsController] })
export class EventsApiModule {}
