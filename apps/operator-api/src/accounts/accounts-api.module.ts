import { Module } from '@nestjs/common';
import { RequestPipelineModule } from '../request-pipeline.module';
import { AccountsController } from './accounts.controller';

@Module({
  imports: [RequestPipelineModule],
  controllers: [AccountsController],
})
export class AccountsApiModule {}
