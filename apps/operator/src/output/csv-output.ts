import { once } from 'node:events';
import type { CsvTable } from '@platform/csv';

/** Rows of any number, printed as CSV while they are read. */
export class CsvOutput<Row> {
  constructor(
    private readonly table: CsvTable,
    private readonly portions: AsyncGenerator<Row[]>,
    private readonly toRecord: (row: Row) => object,
  ) {}

  /** Prints all rows, no faster than they are taken. */
  async print(): Promise<void> {
    await write(this.table.head);
    for await (const rows of this.portions)
      await write(rows.map((row) => this.table.record(this.toRecord(row))).join(''));
  }
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
