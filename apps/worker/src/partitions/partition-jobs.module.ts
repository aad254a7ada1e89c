import { Module } from '@nestjs/common';
import { AiOperatorModule } from '@domains/ai';
import { PartitionJobs } from './partition-jobs';
import { PartitionMetrics } from './partition-metrics';

@Module({ imports: [AiOperatorModule], providers: [PartitionJobs, PartitionMetrics] })
export class PartitionJobsModule {}
