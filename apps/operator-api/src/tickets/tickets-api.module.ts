import { Module } from '@nestjs/common';
import { SupportOperatorModule } from '@domains/support';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { TicketsController } from './tickets.controller';

@Module({ imports: [CustomerNamesModule, SupportOperatorModule], controllers: [TicketsController] })
export class TicketsApiModule {}
