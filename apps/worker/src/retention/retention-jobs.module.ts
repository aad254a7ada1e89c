import { Module } from '@nestjs/common';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { RetentionJobs } from './retention-jobs';

@Module({ imports: [SmsOperatorModule, StatusOperatorModule, SupportOperatorModule], providers: [RetentionJobs] })
export class RetentionJobsModule {}
