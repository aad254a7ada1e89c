import type { PoolClient } from 'pg';
import { asUnavailable, DatabaseUnavailableError } from '../errors/database-errors';
import type { PreparedStatement } from '../connections/prepared-statement';

/**
 * A transaction of several writes of one customer, on a connection of its own. It has to be ended soon: it keeps the
 * connection and its locks, and PostgreSQL ends it after DATABASE_STATEMENT_TIMEOUT_MS without a statement.
 */
export class WriteTransaction {
  /** Whether statements can still join it. */
  isOpen = true;
  private lost?: Error;

  /** @param release told when it has ended, with the error if the connection was lost */
  constructor(
    private readonly client: PoolClient,
    readonly customerId: string,
    private readonly release: (lost?: Error) => void,
  ) {
    // Queued in front of the first statement, which fails if this does.
    void this.send({ text: 'begin' }).catch(() => undefined);
  }

  /** Runs a statement in it. @throws DatabaseUnavailableError */
  async query<Row extends object>(statement: PreparedStatement, values: readonly unknown[]): Promise<Row[]> {
    if (!this.isOpen) throw new Error('The transaction has ended');
    const { rows } = await this.send({ ...statement, values: [...values] });
    return rows as Row[];
  }

  /**
   * Commits it. @throws DatabaseUnavailableError if it is unknown whether it was committed, and an error if a statement had
   * failed: it was rolled back then
   */
  async commit(): Promise<void> {
    const { command } = await this.end('commit');
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back: a statement had failed');
  }

  /** Rolls it back, unless it has ended. If that cannot be told to PostgreSQL, the lost connection does it. */
  async rollback(): Promise<void> {
    if (this.isOpen) await this.end('rollback').catch(() => undefined);
  }

  private async end(text: string): Promise<{ command: string }> {
    this.isOpen = false;
    try {
      return await this.send({ text });
    } finally {
      this.release(this.lost);
    }
  }

  private async send(query: { text: string; values?: unknown[] }): Promise<{ command: string; rows: unknown[] }> {
    try {
      return await this.client.query<Record<string, unknown>>(query);
    } catch (error) {
      const failure = asUnavailable(error);
      if (failure instanceof DatabaseUnavailableError) this.lost ??= failure;
      throw failure;
    }
  }
}
