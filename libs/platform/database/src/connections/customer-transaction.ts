import type { ClientBase, QueryArrayConfig } from 'pg';
import { type DecodedStatement, decodeRow, prepared } from '../reads/read-statement';

/** Not under the name that a read batch has for it: the driver does not know of the statements that the batch prepares. */
export const SET_CUSTOMER = prepared('database.set-customer-of-write', 'select app.set_customer($1)');

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

/** The driver's types for rows that the statement's own decoders read. */
const TEXTS = { getTypeParser: () => (text: string) => text };

/**
 * Queues the begin of a customer's transaction on a connection. It is explicit, because only then a cluster tells the customer
 * to its nodes. The statements behind it fail if it does.
 */
export function beginAs(client: ClientBase, customerId: string): Promise<unknown>[] {
  return [client.query('begin'), client.query({ ...SET_CUSTOMER, values: [customerId] })];
}

/** Queues statements in the transaction that was begun. @throws the first failure: the others follow from it */
export async function runOn<Rows extends readonly unknown[]>(
  client: ClientBase,
  statements: CustomerStatements<Rows>,
): Promise<RowsOf<Rows>> {
  const replies = await inOrder(
    statements.map(({ statement: { name, text }, values }) => {
      const query: QueryArrayConfig = { name, text, values: [...values], rowMode: 'array', types: TEXTS };
      return client.query<(string | null)[]>(query);
    }),
  );
  const rows = replies.map((reply, place) =>
    reply.rows.map((row) => decodeRow(statements[place]?.statement as DecodedStatement<object>, row)),
  );
  return rows as RowsOf<Rows>;
}

/** Queues statements as a customer's transaction. If one fails, nothing is stored. @returns the rows of each */
export async function transactAs<Rows extends readonly unknown[]>(
  client: ClientBase,
  customerId: string,
  statements: CustomerStatements<Rows>,
): Promise<RowsOf<Rows>> {
  const begun = beginAs(client, customerId);
  const rows = runOn(client, statements);
  // Rolls back if a statement failed.
  await inOrder<unknown>([...begun, rows, client.query('commit')]);
  return rows;
}

/** Waits for all replies: until then the connection is busy. @throws the first failure */
async function inOrder<T>(replies: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(replies);
  return Promise.all(replies);
}
