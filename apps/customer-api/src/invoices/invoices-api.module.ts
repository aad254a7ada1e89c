import { Module } from '@nestjs/common';
import { InvoicesModule } from '@domains/invoices';
import { InvoicesController } from './invoices.controller';

@Module({ imports: [InvoicesModule], controllers: [InvoicesController] })
export class InvoicesApiModule {}
