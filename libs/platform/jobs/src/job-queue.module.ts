import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '@platform/metrics';
import { JobMetrics } from './job-metrics';
import { JobQueue } from './job-queue.service';
import { JobRunner } from './job-runner.service';

/** The worker's queues and recurring jobs. */
@Global()
@Module({ imports: [MetricsModule], providers: [JobMetrics, JobQueue, JobRunner], exports: [JobQueue, JobRunner] })
export class JobQueueModule {}
