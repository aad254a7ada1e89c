import { Module } from '@nestjs/common';
import { UpstreamClientsService } from './upstream-clients.service';

/** Clients of external systems. */
@Module({ providers: [UpstreamClientsService], exports: [UpstreamClientsService] })
export class UpstreamModule {}
