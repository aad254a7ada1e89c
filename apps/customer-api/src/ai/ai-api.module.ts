import { Module } from '@nestjs/common';
import { AiModule } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { AiController } from './ai.controller';

@Module({ imports: [AiModule, CreditRequestsModule], controllers: [AiController] })
export class AiApiModule {}
