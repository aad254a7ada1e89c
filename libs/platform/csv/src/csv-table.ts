import { amountText } from '@platform/money';
import { type CsvCell, csvRecord } from './csv';

/**
 * A table of objects as they are in JSON, one record each. A column is the path of a member, such as `token.name`, and its
 * head has underscores instead of dots. A member of null has no members: its columns are empty.
 */
export class CsvTable {
  /** The first record: the columns' heads. */
  readonly head: string;
  private readonly paths: readonly string[][];

  constructor(columns: readonly string[]) {
    this.head = csvRecord(columns.map((column) => column.replaceAll('.', '_')));
    this.paths = columns.map((column) => column.split('.'));
  }

  record(row: object): string {
    return csvRecord(this.paths.map((path) => cellAt(row, path)));
  }
}

function cellAt(row: object, path: readonly string[]): CsvCell {
  let value: unknown = row;
  for (const name of path) value = (value as Record<string, unknown> | null)?.[name];
  const number = amountText(value);
  return number === undefined ? (value as CsvCell) : { number };
}
