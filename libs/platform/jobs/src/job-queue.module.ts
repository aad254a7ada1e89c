import { Global, Module } from '@nestjs/common';
import { MetricsModule } from '@platform/metrics';
import { JobMetrics } from './job-metrics';
import { JobQueueService } from './job-queue.service';
import { JobRunnerService } from './job-runner.service';

/** The worker's queues and recurring jobs. */
@Global()
@Module({
  imports: [MetricsModule],
  providers: [JobMetrics, JobQueueService, JobRunnerService],
  exports: [JobQueueService, JobRunnerService],
})
export class JobQueueModule {}
