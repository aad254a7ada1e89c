import { Module } from '@nestjs/common';
import { UpstreamClients } from './upstream-clients.service';

/** Calls to other people's systems. */
@Module({ providers: [UpstreamClients], exports: [UpstreamClients] })
export class UpstreamModule {}
