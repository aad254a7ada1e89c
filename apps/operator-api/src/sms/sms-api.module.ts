import { Module } from '@nestjs/common';
import { SmsOperatorModule } from '@domains/sms';
import { CustomerNamesModule } from '../customers/customer-names.module';
import { SmsController } from './sms.controller';

@Module({
  imports: [SmsOperatorModule, CustomerNamesModule],
  controllers: [SmsController],
})
export class SmsApiModule {}
