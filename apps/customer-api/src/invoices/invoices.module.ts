import { Module } from '@nestjs/common';
import { InvoiceReaderModule } from '@app/invoices';
import { InvoicesController } from './invoices.controller';

/** `/invoices` */
@Module({ imports: [InvoiceReaderModule], controllers: [InvoicesController] })
export class InvoicesModule {}
