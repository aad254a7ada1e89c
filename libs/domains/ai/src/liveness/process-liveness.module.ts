import { Module } from '@nestjs/common';
import { ProcessHeartbeatService } from './process-heartbeat.service';

/** Makes the liveness of a process visible in the database. */
@Module({ providers: [ProcessHeartbeatService], exports: [ProcessHeartbeatService] })
export class ProcessLivenessModule {}
