export { migrateJobQueue, QUEUE_FUNCTIONS } from './boss';
export { JobQueueService } from './job-queue.service';
export { JobQueueModule } from './job-queue.module';
export { JobRunnerService, type Job } from './job-runner.service';
export type { QueueItem, WorkQueue } from './queue-consumer';
export { WorkerLoop } from './worker-loop';
