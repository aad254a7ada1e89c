import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { LedgerConnectionsService } from '../../ledger/ledger-connections.service';
import { ProcessHeartbeatService } from '../../liveness/process-heartbeat.service';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';

/** How long a call that was given up at shutdown gets to be released and answered. */
const LAST_MS = 1_000;

/** Lets the calls in flight end before what they need is closed. */
@Injectable()
export class DrainCallsService implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly calls: CallsInFlightService,
    private readonly resolution: CallResolutionService,
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly ledger: LedgerConnectionsService,
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
