import { Module } from '@nestjs/common';
import { ProcessHeartbeatService } from './process-heartbeat.service';

@Module({ providers: [ProcessHeartbeatService], exports: [ProcessHeartbeatService] })
export class ProcessLivenessModule {}
