export { JobRunner, type Job } from './job-runner';
export { JobsModule } from './jobs.module';
export { ScheduledJob } from './scheduled-job.entity';
