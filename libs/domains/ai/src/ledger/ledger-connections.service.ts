import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { PIPELINE_SETTINGS, type PipelineSettings, PipelinedConnectionsService } from '@platform/database';

/** Longest time that a batch waits for a locked account: all its other customers wait as long. */
const LOCK_TIMEOUT_MS = 100;

/**
 * The ledger's own connections. A batch may wait for an account's lock; on shared connections, reads would wait behind
 * it. They close after the last call in progress is settled, later than Nest closes the others.
 */
@Injectable()
export class LedgerConnectionsService {
  readonly connections: PipelinedConnectionsService;

  constructor(@Inject(PIPELINE_SETTINGS) { client }: PipelineSettings, { AI_LEDGER_CONNECTIONS }: AppConfig) {
    const options = `${client.options ?? ''} -c lock_timeout=${LOCK_TIMEOUT_MS}`;
    this.connections = new PipelinedConnectionsService({ client: { ...client, options }, size: AI_LEDGER_CONNECTIONS });
  }

  close(): Promise<void> {
    return this.connections.onApplicationShutdown();
  }
}
