import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { JobRunner } from './job-runner';
import { ScheduledJob } from './scheduled-job.entity';

/** The worker's schedule. */
@Global()
@Module({ imports: [TypeOrmModule.forFeature([ScheduledJob])], providers: [JobRunner], exports: [JobRunner] })
export class JobsModule {}
