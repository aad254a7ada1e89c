import { Injectable } from '@nestjs/common';
import { CustomerContext } from './customer-context';
import { PipelinedConnections } from './pipelined-connections';
import type { PreparedStatement } from './prepared-statement';
import type { ReadValue } from './reading/scoped-read';
import { WriteConnections } from './writing/write-connections';

/**
 * The one way to a customer's rows. Every statement runs under row level security for the customer in context; naming
 * the customer in the statement as well is the caller's second isolation layer, never its only one.
 */
@Injectable()
export class CustomerDatabase {
  constructor(
    private readonly context: CustomerContext,
    private readonly pipeline: PipelinedConnections,
    private readonly writes: WriteConnections,
  ) {}

  /**
   * Reads, cheap enough for every request. The statement must only read: it shares a transaction with other reads. Points in time come as RFC 3339 text in UTC, to the
   * microsecond, ready to be sent and to be a cursor.
   */
  read<Row extends object>(statement: PreparedStatement, values: readonly ReadValue[]): Promise<Row[]> {
    return this.pipeline.readAs<Row>(this.context.customerId, statement, values);
  }

  /**
   * Writes, in a transaction of its own and one round trip: the statement calls one of our functions, whose first parameter
   * is the customer; the function sets it (`app.set_customer`) before it touches a row.
   * @throws OverloadedError when it could not be begun in time
   */
  async write<Row extends object>(
    statement: PreparedStatement,
    values: readonly [string, ...unknown[]],
  ): Promise<Row[]> {
    const { customerId } = this.context;
    if (values[0] !== customerId) throw new Error(`${statement.name} names another customer than the one in context`);
    return this.writes.write<Row>(customerId, statement, [...values]);
  }
}
