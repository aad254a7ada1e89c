import { type Connection, Query, type QueryResult, type QueryResultRow } from 'pg';
import type { PreparedStatement } from './prepared-statement';
import { TEXT_TIMES } from './text-times';

const SET_CUSTOMER: PreparedStatement = { name: 'database.set-customer', text: 'select app.set_customer($1)' };

/** What the driver's query consists of, as far as it is needed here. */
interface DriverQuery {
  name: string;
  values: unknown[];
  _result: { _types: typeof TEXT_TIMES };
}

/** What the driver's connection can do, as far as it is needed here. */
interface Wire {
  stream: { cork(): void; uncork(): void; destroy(): void };
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  parse(statement: PreparedStatement): void;
  bind(portal: { statement: string; values: unknown[] }): void;
  execute(portal: object): void;
}

/**
 * A statement that runs as one customer. Setting the customer and the statement itself travel together, ahead of one
 * Sync, which makes them one transaction of PostgreSQL's: the setting ends with it, and if it fails PostgreSQL skips the
 * statement. No BEGIN, no COMMIT, one round trip.
 */
export class ScopedQuery<Row extends QueryResultRow> extends Query<Row> {
  private scoped = false;

  constructor(
    private readonly customerId: string,
    statement: PreparedStatement,
    values: unknown[],
    done: (error: Error | null, result: QueryResult<Row>) => void,
  ) {
    // Given as an object, the driver would copy it field by field.
    super(statement.text, undefined, done as never);
    Object.assign(this as unknown as DriverQuery, { name: statement.name, values });
    (this as unknown as DriverQuery)._result._types = TEXT_TIMES;
  }

  override submit = (connection: Connection): void => {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    try {
      const known = wire.parsedStatements[SET_CUSTOMER.name] ?? wire.submittedNamedStatements[SET_CUSTOMER.name];
      if (!known) wire.parse(SET_CUSTOMER);
      wire.submittedNamedStatements[SET_CUSTOMER.name] = SET_CUSTOMER.text;
      wire.bind({ statement: SET_CUSTOMER.name, values: [this.customerId] });
      wire.execute({});
      const refused = superMethods.submit.call(this, connection);
      // Without the statement there is no Sync, and the next caller would get this one's reply.
      if (refused) wire.stream.destroy();
    } finally {
      wire.stream.uncork();
    }
  };

  handleDataRow(message: unknown): void {
    if (this.scoped) superMethods.handleDataRow.call(this, message);
  }

  handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.scoped) return superMethods.handleCommandComplete.call(this, message, connection);
    this.scoped = true;
    connection.parsedStatements[SET_CUSTOMER.name] = SET_CUSTOMER.text;
  }

  handleError(error: Error, connection: Wire): void {
    if (!this.scoped) Reflect.deleteProperty(connection.submittedNamedStatements, SET_CUSTOMER.name);
    superMethods.handleError.call(this, error, connection);
  }
}

/** The driver's own handling of replies; its types leave it out. */
const superMethods = Query.prototype as unknown as {
  /** @returns what is wrong with the statement, if anything is. */
  submit(connection: Connection): unknown;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  handleError(error: Error, connection: Wire): void;
};
