import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { AiAccountingController } from './ai-accounting.controller';
import { AiRecordsController } from './ai-records.controller';
import { AiSettingsController } from './ai-settings.controller';
import { PricesController } from './prices.controller';

@Module({
  imports: [AiOperatorModule, CustomerNamesModule],
  controllers: [AiAccountingController, AiRecordsController, AiSettingsController, PricesController],
})
export class AiApiModule {}
