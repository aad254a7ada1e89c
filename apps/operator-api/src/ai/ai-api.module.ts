import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { AiRecordsController } from './ai-records.controller';
import { AiSettingsController } from './ai-settings.controller';
import { CreditCorrectionsService } from './credit-corrections.service';

@Module({
  imports: [AiOperatorModule, CustomerNamesModule],
  controllers: [AiRecordsController, AiSettingsController],
  providers: [CreditCorrectionsService],
})
export class AiApiModule {}
