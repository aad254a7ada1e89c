import { Module } from '@nestjs/common';
import { IdempotencyOperatorModule } from '@platform/idempotency';
import { IdempotencyJobs } from './idempotency-jobs';

@Module({ imports: [IdempotencyOperatorModule], providers: [IdempotencyJobs] })
export class IdempotencyJobsModule {}
