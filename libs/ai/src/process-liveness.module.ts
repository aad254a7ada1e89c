import { Module } from '@nestjs/common';
import { ProcessHeartbeat } from './ledger/process-heartbeat.service';

/** Makes the liveness of a process visible in the database. */
@Module({ providers: [ProcessHeartbeat], exports: [ProcessHeartbeat] })
export class ProcessLivenessModule {}
