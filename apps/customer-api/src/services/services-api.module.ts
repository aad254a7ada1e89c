import { Module } from '@nestjs/common';
import { ServicesModule } from '@domains/services';
import { ServicesController } from './services.controller';

@Module({ imports: [ServicesModule], controllers: [ServicesController] })
export class ServicesApiModule {}
