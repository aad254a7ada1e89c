import { Module } from '@nestjs/common';
import { AiModule, AiOverviewModule } from '@domains/ai';
import { CreditRequestsModule } from '@domains/credit-requests';
import { IdempotencyModule } from '@platform/idempotency';
import { AiController } from './ai.controller';
import { MessageAnswersService } from './answer/message-answers.service';
import { SdkMessagesController } from './sdk/sdk-messages.controller';
import { SdkModelsController } from './sdk/sdk-models.controller';

@Module({
  imports: [IdempotencyModule, AiModule, AiOverviewModule.with(CreditRequestsModule)],
  controllers: [AiController, SdkMessagesController, SdkModelsController],
  providers: [MessageAnswersService],
})
export class AiApiModule {}
