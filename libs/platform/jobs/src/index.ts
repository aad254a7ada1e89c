export { JobQueueService } from './job-queue.service';
export { JobQueueModule } from './job-queue.module';
export { JobRunnerService, type Job } from './job-runner.service';
export { migrateJobQueue } from './migrate-job-queue';
export type { QueueItem, WorkQueue } from './work-queue';
