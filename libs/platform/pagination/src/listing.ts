/** Which part of a list is wanted: how many rows, and behind which one. */
export interface ListingRequest {
  limit: number;
  /** The id of the last row of the part before. */
  after?: string;
}

/** A part of a list, as the operator gets it. */
export class Listing<Row> {
  private constructor(
    readonly rows: Row[],
    /** The id to continue after; null if there is nothing more. */
    readonly next: string | null,
  ) {}

  /** The part made of rows that were read with `limit + 1`: the extra row tells that there is more. */
  static fromRows<Row>(rows: Row[], limit: number, idOf: (row: Row) => string | number): Listing<Row> {
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return new Listing(rows.slice(0, limit), last === undefined ? null : String(idOf(last)));
  }

  /** The same part with its rows changed. */
  map<Other>(change: (row: Row) => Other): Listing<Other> {
    return new Listing(this.rows.map(change), this.next);
  }
}
