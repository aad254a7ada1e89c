import type { Connection } from 'pg';
import { TEXT_TIMES } from '../connections/text-times';

/** A column of a statement's rows, and how its text is read. */
export interface Column {
  name: string;
  parse: (text: string) => unknown;
}

/** What a connection's server has prepared, and what the rows of it look like: neither is asked for twice. */
export class KnownStatements {
  private static readonly perConnection = new WeakMap<Connection, KnownStatements>();

  private readonly prepared = new Set<string>();
  private readonly columns = new Map<string, Column[]>();

  /** What is known of this connection. */
  static of(connection: Connection): KnownStatements {
    let known = KnownStatements.perConnection.get(connection);
    if (!known) KnownStatements.perConnection.set(connection, (known = new KnownStatements()));
    return known;
  }

  /** Whether the statement has to be prepared now; from here on it counts as prepared. */
  mustPrepare(name: string): boolean {
    if (this.prepared.has(name)) return false;
    this.prepared.add(name);
    return true;
  }

  /**
   * Takes back that a statement is prepared: the server skipped or refused it. What its rows look like stays known: a
   * batch that is under way may have left out to ask, and its rows must still be readable.
   */
  forget(name: string): void {
    this.prepared.delete(name);
  }

  columnsOf(name: string): Column[] | undefined {
    return this.columns.get(name);
  }

  /** Notes the columns that the server described. */
  describe(name: string, fields: { name: string; dataTypeID: number }[]): void {
    const columns = fields.map((field) => ({
      name: field.name,
      parse: TEXT_TIMES.getTypeParser(field.dataTypeID),
    }));
    this.columns.set(name, columns);
  }
}
