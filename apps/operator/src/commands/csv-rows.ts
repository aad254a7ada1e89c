/** Rows of any number with a form of their own as CSV: they are printed while they are read. */
export class CsvRows<Row> {
  constructor(
    readonly columns: readonly string[],
    readonly portions: AsyncGenerator<Row[]>,
    readonly toRecord: (row: Row) => object,
  ) {}
}
