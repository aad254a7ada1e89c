import { Module } from '@nestjs/common';
import { UpstreamClients } from './upstream-clients.service';

/** Clients of external systems. */
@Module({ providers: [UpstreamClients], exports: [UpstreamClients] })
export class UpstreamModule {}
