import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { LedgerConnectionsService } from '../../ledger/ledger-connections.service';
import { ProcessHeartbeatService } from '../../liveness/process-heartbeat.service';
import { CallResolutionService } from './call-resolution.service';
import { CallsInFlightService } from './calls-in-flight.service';

/** Time for calls that were aborted at shutdown to be released and answered. */
const LAST_MS = 1_000;

/** Lets the calls in progress end before the connections they need are closed. */
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
