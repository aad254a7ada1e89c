import { Module } from '@nestjs/common';
import { AiModule, AiOverviewModule, AiUsageModule } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { IdempotencyModule } from '@platform/idempotency';
import { AiController } from './ai.controller';
import { MessageAnswersService } from './message-answers.service';
import { SdkMessagesController } from './sdk-messages.controller';
import { SdkModelsController } from './sdk-models.controller';

@Module({
  imports: [IdempotencyModule, AiModule, AiOverviewModule.with(CreditRequestsModule), AiUsageModule],
  controllers: [AiController, SdkMessagesController, SdkModelsController],
  providers: [MessageAnswersService],
})
export class AiApiModule {}
