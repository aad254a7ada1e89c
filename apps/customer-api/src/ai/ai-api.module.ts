import { Module } from '@nestjs/common';
import { AiModule, AiOverviewModule } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { AiController } from './ai.controller';

@Module({ imports: [AiModule, AiOverviewModule.with(CreditRequestsModule)], controllers: [AiController] })
export class AiApiModule {}
