import type { CsvTable } from '@platform/csv';

/** Rows in portions, of which the first was read already. */
interface Portions<Row> {
  first: IteratorResult<Row[], void>;
  portions: AsyncGenerator<Row[]>;
  toDto: (row: Row) => object;
}

/**
 * The text of a table in the portions in which its rows come: the next is read when the one before was taken. `tooSlow` is
 * called when that takes longer than `slowestMs`.
 */
export async function* csvText<Row>(
  table: CsvTable,
  { first, portions, toDto }: Portions<Row>,
  slowestMs: number,
  tooSlow: () => void,
): AsyncGenerator<string> {
  const textOf = (rows: Row[]) => rows.map((row) => table.record(toDto(row))).join('');
  const timer = setTimeout(tooSlow, slowestMs);
  try {
    yield table.head + (first.done ? '' : textOf(first.value));
    for await (const rows of portions) {
      timer.refresh();
      yield textOf(rows);
    }
  } finally {
    clearTimeout(timer);
  }
}
