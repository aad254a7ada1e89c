import { Injectable } from '@nestjs/common';
import { CustomerContextService } from './customer-context.service';
import { PipelinedConnectionsService } from './connections/pipelined-connections.service';
import type { PreparedStatement } from './connections/prepared-statement';
import type { ReadValue } from './reads/scoped-read';
import { WriteConnectionsService } from './writes/write-connections.service';

/**
 * The one way to a customer's rows. Every statement runs under row level security for the customer in context; naming
 * the customer in the statement as well is the caller's second isolation layer, never its only one.
 */
@Injectable()
export class CustomerDatabaseService {
  constructor(
    private readonly context: CustomerContextService,
    private readonly pipeline: PipelinedConnectionsService,
    private readonly writes: WriteConnectionsService,
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
