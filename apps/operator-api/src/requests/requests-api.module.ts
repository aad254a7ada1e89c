import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { RefusalsOperatorModule } from '@platform/refusals';
import { TokensOperatorModule } from '@platform/tokens';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { RequestsController } from './requests.controller';

@Module({
  imports: [AiOperatorModule, RefusalsOperatorModule, TokensOperatorModule, CustomerNamesModule],
  controllers: [RequestsController],
})
export class RequestsApiModule {}
