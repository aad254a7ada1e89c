import { Module } from '@nestjs/common';
import { ServiceStatusReaderModule } from '@app/status';
import { StatusController } from './status.controller';

/** `/status` */
@Module({ imports: [ServiceStatusReaderModule], controllers: [StatusController] })
export class StatusModule {}
