import { Inject, Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import {
  PIPELINE_SETTINGS,
  type PipelineSettings,
  PipelinedConnectionsService,
  type PreparedStatement,
} from '@platform/database';

/** How a statement meets a locked account: it gives up soon, for the other customers of its batch, or is one customer's and waits. */
export type LockWait = 'brief' | 'patient';

/**
 * Longest time that a statement waits for a locked account. While a brief one waits, all other customers of its batch do.
 * A patient one is about one customer; it outlasts a queue of many replicas, and then others may have its connection.
 */
const LOCK_TIMEOUT_MS = { brief: 100, patient: 1000 } satisfies Record<LockWait, number>;

/**
 * The ledger's own connections. A batch may wait for an account's lock; on shared connections, reads would wait behind
 * it. They close after the last call in progress is settled, later than Nest closes the others.
 */
@Injectable()
export class LedgerConnectionsService {
  /** Number of connections for patient statements. They are opened at their first use. */
  static readonly patient = 2;
  private readonly connections: Record<LockWait, PipelinedConnectionsService>;

  constructor(@Inject(PIPELINE_SETTINGS) { client }: PipelineSettings, { AI_LEDGER_CONNECTIONS }: AppConfig) {
    const settings = (wait: LockWait) => {
      const options = `${client.options ?? ''} -c lock_timeout=${LOCK_TIMEOUT_MS[wait]}`;
      return { ...client, options, keepOpen: wait === 'brief' && client.keepOpen };
    };
    this.connections = {
      brief: new PipelinedConnectionsService({ client: settings('brief'), size: AI_LEDGER_CONNECTIONS }),
      patient: new PipelinedConnectionsService({ client: settings('patient'), size: LedgerConnectionsService.patient }),
    };
  }

  /** Runs a statement. Of the patient ones there may be {@link patient} at a time. @throws DatabaseUnavailableError */
  single<Row extends object>(
    statement: PreparedStatement,
    values: unknown[],
    wait: LockWait = 'brief',
  ): Promise<Row[]> {
    return this.connections[wait].single<Row>(statement, values);
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.connections).map((connections) => connections.onApplicationShutdown()));
  }
}
