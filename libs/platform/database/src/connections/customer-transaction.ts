import type { ClientBase, QueryArrayResult } from 'pg';
import { type DecodedStatement, decodeRow, prepared } from '../prepared-statement';

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
const asText = (text: string): string => text;
const TEXTS = { getTypeParser: () => asText };

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
  const sent: Promise<QueryArrayResult<(string | null)[]>>[] = [];
  for (const { statement, values } of statements) {
    const { name, text } = statement;
    sent.push(client.query({ name, text, values: [...values], rowMode: 'array', types: TEXTS }));
  }
  // Until all are answered the connection is busy.
  await Promise.allSettled(sent);
  const rows: unknown[][] = [];
  for (const [place, reply] of sent.entries()) {
    const { statement } = statements[place] as CustomerStatement<object>;
    const decoded: object[] = [];
    for (const row of (await reply).rows) decoded.push(decodeRow(statement, row));
    rows.push(decoded);
  }
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
  const replies = [...begun, rows, client.query('commit')];
  await Promise.allSettled(replies);
  for (const reply of replies) await reply;
  return rows;
}
