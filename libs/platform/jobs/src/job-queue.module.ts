import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '@platform/metrics';
import { JobMetrics } from './job-metrics';
import { JobQueue } from './job-queue.service';
import { JobRunner } from './job-runner.service';

/** Background work of a worker: queues, and jobs that recur. */
@Global()
@Module({ imports: [MetricsModule], providers: [JobMetrics, JobQueue, JobRunner], exports: [JobQueue, JobRunner] })
export class JobQueueModule {}
