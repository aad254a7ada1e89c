import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@app/ai';
import { AiJobs } from './ai-jobs';

/** The AI domain's jobs. */
@Module({ imports: [AiOperatorModule], providers: [AiJobs] })
export class AiJobsModule {}
