import { Module } from '@nestjs/common';
import { CustomerServiceReaderModule } from '@app/services';
import { ServicesController } from './services.controller';

/** `/services` */
@Module({ imports: [CustomerServiceReaderModule], controllers: [ServicesController] })
export class ServicesModule {}
