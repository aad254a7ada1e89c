import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { CustomerContext } from './customer-context';
import { PipelinedConnections } from './pipelined-connections';
import type { PreparedStatement } from './prepared-statement';
import type { ReadValue } from './reading/scoped-read';

/**
 * The one way to a customer's rows. Every statement runs under row level security for the customer in context; naming
 * the customer in the statement as well is the caller's second wall, never its only one.
 */
@Injectable()
export class CustomerDatabase {
  constructor(
    private readonly context: CustomerContext,
    private readonly pipeline: PipelinedConnections,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * Reads, cheap enough for every request. The statement must only read: it shares a transaction with other reads. Points in time come as RFC 3339 text in UTC, to the
   * microsecond, ready to be sent and to be a cursor.
   */
  read<Row extends object>(statement: PreparedStatement, values: readonly ReadValue[]): Promise<Row[]> {
    return this.pipeline.readAs<Row>(this.context.customerId, statement, values);
  }

  /** Runs `work` in one transaction. Never call an upstream inside: the transaction would stay open meanwhile. */
  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { customerId } = this.context;
    return this.dataSource.transaction(async (manager) => {
      await manager.query('select app.set_customer($1)', [customerId]);
      return work(manager);
    });
  }
}
