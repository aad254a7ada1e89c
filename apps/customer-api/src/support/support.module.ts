import { Module } from '@nestjs/common';
import { SupportTicketsModule } from '@app/support';
import { SupportController } from './support.controller';

/** `/support/tickets` */
@Module({ imports: [SupportTicketsModule], controllers: [SupportController] })
export class SupportModule {}
