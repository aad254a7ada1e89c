import { Global, Module } from '@nestjs/common';
import { JobQueue } from './job-queue.service';
import { JobRunner } from './job-runner.service';

/** Background work of a worker: queues, and jobs that recur. */
@Global()
@Module({ providers: [JobQueue, JobRunner], exports: [JobQueue, JobRunner] })
export class JobQueueModule {}
