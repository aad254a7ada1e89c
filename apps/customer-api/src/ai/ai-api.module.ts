import { Module } from '@nestjs/common';
import { AiModule, AiOverviewModule, AiUsageModule } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { IdempotencyModule } from '@platform/idempotency';
import { AiController } from './ai.controller';
import { MessageAnswersService } from './answer/message-answers.service';
import { ReplayedChargeService } from './answer/replayed-charge.service';
import { SdkMessagesController } from './sdk/sdk-messages.controller';
import { SdkModelsController } from './sdk/sdk-models.controller';

@Module({
  imports: [IdempotencyModule, AiModule, AiOverviewModule.with(CreditRequestsModule), AiUsageModule],
  controllers: [AiController, SdkMessagesController, SdkModelsController],
  providers: [MessageAnswersService, ReplayedChargeService],
})
export class AiApiModule {}
