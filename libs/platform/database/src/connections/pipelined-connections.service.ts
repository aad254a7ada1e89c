import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { tracedStatement } from '@platform/tracing';
import { PIPELINE_SETTINGS, type PipelineSettings } from './database.tokens';
import { PipelinedConnection } from './pipelined-connection';
import type { PreparedStatement } from './prepared-statement';
import type { ReadBatch } from './read-batch';

/**
 * A few connections shared by all requests. Statements that are sent together stay together on their connection and do
 * not wait for replies to earlier ones, so a secured transaction costs about one round trip.
 */
@Injectable()
export class PipelinedConnectionsService implements OnApplicationShutdown {
  private readonly connections: PipelinedConnection[];
  private readerOfTurn?: PipelinedConnection;

  constructor(@Inject(PIPELINE_SETTINGS) { client, size }: PipelineSettings) {
    this.connections = Array.from({ length: size }, () => new PipelinedConnection(client));
  }

  /**
   * Runs a statement by itself. It must not depend on a customer, or must set the customer itself as the ledger's
   * functions do. @throws DatabaseUnavailableError
   */
  single<Row extends QueryResultRow>(statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
    return tracedStatement(statement.name, () =>
      this.leastBusy().send<Row>((client) => client.query<Row>({ ...statement, values })),
    );
  }

  /**
   * The batch that takes the reads of this turn of the event loop. All go to one connection: split over several they would
   * need as many messages.
   */
  batch(): ReadBatch {
    if (!this.readerOfTurn) {
      this.readerOfTurn = this.leastBusy();
      setImmediate(() => (this.readerOfTurn = undefined));
    }
    return this.readerOfTurn.nextBatch();
  }

  /** How long a statement that is sent now has to wait at least, in milliseconds: on the best connection. */
  queueDelayMs(): number {
    return Math.min(...this.connections.map((connection) => connection.queueDelayMs()));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.end()));
  }

  private leastBusy(): PipelinedConnection {
    return this.connections.reduce((best, next) => (next.load < best.load ? next : best));
  }
}
