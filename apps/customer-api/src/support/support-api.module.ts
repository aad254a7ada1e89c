import { Module } from '@nestjs/common';
import { SupportModule } from '@domains/support';
import { SupportController } from './support.controller';

@Module({ imports: [SupportModule], controllers: [SupportController] })
export class SupportApiModule {}
