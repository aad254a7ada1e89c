import { Module } from '@nestjs/common';
import { StatusModule } from '@domains/status';
import { StatusController } from './status.controller';

@Module({ imports: [StatusModule], controllers: [StatusController] })
export class StatusApiModule {}
