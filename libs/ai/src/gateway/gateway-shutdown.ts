import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { LedgerConnections } from '../ledger/ledger-connections';
import { ProcessHeartbeat } from '../ledger/process-heartbeat.service';
import { CallResolution } from './call-resolution.service';
import { CallsInFlight } from './calls-in-flight';

/** How long a call that was given up at shutdown gets to be released and answered. */
const LAST_MS = 1_000;

/** Lets the calls in flight end before what they need is closed. */
@Injectable()
export class GatewayShutdown implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly calls: CallsInFlight,
    private readonly resolution: CallResolution,
    private readonly heartbeat: ProcessHeartbeat,
    private readonly ledger: LedgerConnections,
    private readonly config: AppConfig,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.calls.drain(Math.max(0, this.config.SHUTDOWN_GRACE_MS - LAST_MS));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.calls.drain(0);
    await this.resolution.stop();
    await this.heartbeat.end();
    await this.ledger.close();
  }
}
