import * as driver from 'pg';
import { type ClientBase, type Connection, Query, type QueryArrayResult } from 'pg';
import { isTracing, tracedStatement } from '@platform/tracing';
import { isStatementRefused } from '../database-errors';
import { type DecodedStatement, decodeRow, type PreparedStatement, prepared } from '../prepared-statement';

export const BEGIN = prepared('database.begin', 'begin');
const COMMIT = prepared('database.commit', 'commit');
export const SET_CUSTOMER = prepared('database.set-customer', 'select app.set_customer($1)');
/** On a connection that is shared, under a name of its own: the driver does not know of the statements that a read batch prepares. */
const SET_CUSTOMER_OF_WRITE = prepared('database.set-customer-of-write', SET_CUSTOMER.text);

/** A statement of a customer's transaction, and its values: `$1` names the customer in each, besides the transaction. */
export interface CustomerStatement<Row> {
  readonly statement: DecodedStatement<Row>;
  readonly values: readonly unknown[];
}

/** Statements of a transaction, each with the row type of its place. */
export type CustomerStatements<Rows extends readonly unknown[]> = {
  readonly [Place in keyof Rows]: CustomerStatement<Rows[Place]>;
};

/** The rows of each of these statements. */
export type RowsOf<Rows extends readonly unknown[]> = { [Place in keyof Rows]: Rows[Place][] };

/**
 * Sends the begin of a customer's transaction. It is explicit, because only then a cluster tells the customer to its nodes. The
 * statements behind it fail if it does. The connection must be the transaction's alone.
 */
export function beginAs(client: ClientBase, customerId: string): Promise<unknown> {
  return new SentTogether(client).add(BEGIN).add(SET_CUSTOMER, [customerId]).send();
}

/** Sends statements in the transaction that was begun. @throws the first failure: PostgreSQL skips those behind it */
export async function runOn<Rows extends readonly unknown[]>(
  client: ClientBase,
  statements: CustomerStatements<Rows>,
): Promise<RowsOf<Rows>> {
  if (statements.length === 0) return [] as unknown as RowsOf<Rows>;
  const sent = new SentTogether(client);
  const rows = addTo(sent, statements);
  await sent.send();
  return rows as RowsOf<Rows>;
}

/**
 * Sends statements as a customer's transaction, on a connection that is theirs alone. If one fails, nothing is stored.
 * @returns the rows of each
 */
export async function transactAs<Rows extends readonly unknown[]>(
  client: ClientBase,
  customerId: string,
  statements: CustomerStatements<Rows>,
): Promise<RowsOf<Rows>> {
  const sent = new SentTogether(client).add(BEGIN).add(SET_CUSTOMER, [customerId]);
  const rows = addTo(sent, statements);
  try {
    await sent.add(COMMIT).send();
  } catch (error) {
    // The commit was skipped. If the rollback cannot be sent, the lost connection does it.
    if (isStatementRefused(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
  return rows as RowsOf<Rows>;
}

/** The driver's types for rows that the statement's own decoders read. */
const asText = (text: string): string => text;
const TEXTS = { getTypeParser: () => asText };

/**
 * Queues a statement as a customer's transaction on a connection that others use meanwhile: the commit is sent whatever happens, and
 * rolls back if the statement failed. @returns its rows
 */
export async function transactOnShared<Row>(
  client: ClientBase,
  customerId: string,
  { statement, values }: CustomerStatement<Row>,
): Promise<Row[]> {
  const { name, text } = statement;
  const begun = client.query('begin');
  const set = client.query({ ...SET_CUSTOMER_OF_WRITE, values: [customerId] });
  const query = { name, text, values: [...values], rowMode: 'array' as const, types: TEXTS };
  const sent: Promise<QueryArrayResult<(string | null)[]>> = client.query(query);
  const replies = [begun, set, sent, client.query('commit')];
  await Promise.allSettled(replies);
  for (const reply of replies) await reply;
  return (await sent).rows.map((row) => decodeRow(statement, row));
}

/** @returns the rows of each statement, complete when all are answered */
function addTo(sent: SentTogether, statements: readonly CustomerStatement<unknown>[]): unknown[][] {
  return statements.map(({ statement, values }) => {
    const rows: unknown[] = [];
    sent.add(statement, values, (texts) => rows.push(decodeRow(statement, texts)));
    if (isTracing()) tracedStatement(statement.name, () => sent.lastAnswer()).catch(() => undefined);
    return rows;
  });
}

/** The methods of the driver's connection that groups of statements and read batches use. */
export interface Wire {
  parse(statement: PreparedStatement): void;
  bind(portal: { statement: string; values: unknown[] }): void;
  execute(portal: object): void;
  close(what: { type: 'S'; name: string }): void;
  sync(): void;
}

/** Names of the statements that a connection's server has prepared for {@link SentTogether}. */
const preparedOn = new WeakMap<Connection, Set<string>>();

/** How the driver makes texts of values. */
const { prepareValue } = (driver as unknown as { utils: { prepareValue: (value: unknown) => unknown } }).utils;

interface Part {
  readonly statement: PreparedStatement;
  readonly values: unknown[];
  readonly take?: ((texts: (string | null)[]) => void) | undefined;
  answer?: PromiseWithResolvers<void>;
}

/**
 * Statements with one Sync behind them. PostgreSQL answers them in one message. The driver's queries, which have a Sync and the
 * description of their columns each, it answers one by one, and wakes this process for each. If one fails, PostgreSQL skips those
 * behind it. The driver feeds the replies to the `handle…` methods.
 */
class SentTogether extends Query {
  private readonly parts: Part[] = [];
  /** How many have been answered. */
  private answered = 0;
  /** Of each, whether the connection had not prepared it before. */
  private readonly isNew: boolean[] = [];
  private known = new Set<string>();
  private undecodable?: unknown;
  private readonly outcome = Promise.withResolvers<void>();

  constructor(private readonly client: ClientBase) {
    super('', undefined, () => undefined);
  }

  /** @param take is given each row */
  add(statement: PreparedStatement, values: readonly unknown[] = [], take?: Part['take']): this {
    // Before anything is sent: a value that cannot be sent must not leave half a message on the connection.
    this.parts.push({ statement, values: values.map(prepareValue), take });
    return this;
  }

  /** The answer to the statement that was added last. */
  lastAnswer(): Promise<void> {
    const part = this.parts.at(-1) as Part;
    part.answer = Promise.withResolvers<void>();
    return part.answer.promise;
  }

  /** @throws the first failure */
  send(): Promise<void> {
    this.client.query(this);
    return this.outcome.promise;
  }

  override submit = (connection: Connection): void => {
    const wire = connection as unknown as Wire;
    this.known = preparedOn.get(connection) ?? new Set();
    preparedOn.set(connection, this.known);
    for (const { statement, values } of this.parts) {
      const isNew = !this.known.has(statement.name);
      this.isNew.push(isNew);
      if (isNew) {
        this.known.add(statement.name);
        // It may have been prepared by a group that failed at it; to close one that is not there is no error.
        wire.close({ type: 'S', name: statement.name });
        wire.parse({ name: statement.name, text: statement.text });
      }
      wire.bind({ statement: statement.name, values });
      wire.execute({});
    }
    wire.sync();
  };

  handleDataRow({ fields: texts }: { fields: (string | null)[] }): void {
    try {
      this.parts[this.answered]?.take?.(texts);
    } catch (error) {
      this.undecodable ??= error;
    }
  }

  handleCommandComplete(): void {
    this.parts[this.answered++]?.answer?.resolve();
  }

  handleError(error: Error): void {
    this.stopTimer();
    for (const [place, { statement, answer }] of this.parts.entries()) {
      if (place < this.answered) continue;
      if (this.isNew[place]) this.known.delete(statement.name);
      answer?.reject(error);
    }
    this.outcome.reject(error);
  }

  handleReadyForQuery(): void {
    this.stopTimer();
    if (this.undecodable === undefined) this.outcome.resolve();
    else this.outcome.reject(this.undecodable);
  }

  /** The driver's timer for the reply ends with the callback. */
  private stopTimer(): void {
    (this as unknown as { callback: () => void }).callback();
  }
}
