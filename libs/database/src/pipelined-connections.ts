import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { QueryResultRow } from 'pg';
import { PIPELINE_SETTINGS, type PipelineSettings } from './database.tokens';
import { PipelinedConnection } from './pipelined-connection';
import type { PreparedStatement } from './prepared-statement';
import { ScopedQuery } from './scoped-query';

/**
 * A few connections shared by all requests. What is sent in one go stays together on its connection and does not wait
 * for the replies to what others sent before, so a secured transaction costs about one round trip.
 */
@Injectable()
export class PipelinedConnections implements OnApplicationShutdown {
  private readonly connections: PipelinedConnection[];

  constructor(@Inject(PIPELINE_SETTINGS) { client, size }: PipelineSettings) {
    this.connections = Array.from({ length: size }, () => new PipelinedConnection(client));
  }

  /**
   * Runs a statement by itself. It must not depend on a customer, or set the customer itself as the ledger's functions do.
   * @throws DatabaseUnavailableError when the database is away.
   */
  single<Row extends QueryResultRow>(statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
    return this.leastBusy().send<Row>((client) => client.query<Row>({ ...statement, values }));
  }

  /**
   * Runs a statement as one customer, in a transaction of its own under row level security.
   * @throws DatabaseUnavailableError when the database is away.
   */
  readAs<Row extends QueryResultRow>(customerId: string, statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
    return this.leastBusy().send<Row>(
      (client) =>
        new Promise((resolve, reject) => {
          client.query(
            new ScopedQuery<Row>(customerId, statement, values, (error, result) => (error ? reject(error) : resolve(result))),
          );
        }),
    );
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.end()));
  }

  private leastBusy(): PipelinedConnection {
    return this.connections.reduce((best, next) => (next.load < best.load ? next : best));
  }
}
