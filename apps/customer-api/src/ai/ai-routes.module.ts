import { Module } from '@nestjs/common';
import { AiModule } from '@app/ai';
import { CreditRequestsModule } from '@app/credit-requests';
import { AiController } from './ai.controller';

/** `/ai` and `/ai/messages` */
@Module({ imports: [AiModule, CreditRequestsModule], controllers: [AiController] })
export class AiRoutesModule {}
