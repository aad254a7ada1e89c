import { decodeCursor, listMark, type Page, type PageRequest, paginate } from '@platform/pagination';
import { idWindow } from './id-window';
import { type KeysetFilter, type KeysetListParts, keysetStatement } from './keyset-statement';
import type { ReadStatement, ReadValue } from './read-statement';

/** What gives a row its place in a list, which is ordered by `createdAt desc, id desc`, or by `id desc` if ids carry time. */
export interface Placed {
  id: string | number;
  createdAt: string;
}

/** A read of rows of a page. */
export interface PageRead<Row> {
  statement: ReadStatement<Row>;
  /** From `$2` on. */
  values: ReadValue[];
  /** What to read when this brought so few rows. */
  rest?: (brought: number) => PageRead<Row> | undefined;
}

/** What a statement is for, as bits: behind a cursor, with ranges, and a bit for each filter that compares for equality. */
const AFTER = 1;
const RANGES = 2;
const FIRST_EQUALITY = 4;

/**
 * A list of a customer's own rows, newest first, read page by page: rows that are added meanwhile move none. There is a
 * statement for each combination of filters that compare for equality, with and without ranges, from the beginning and
 * behind a cursor. So each reads along an index, whatever is given.
 */
export class KeysetList<Row extends Placed> {
  readonly statements: readonly ReadStatement<Row>[];
  private readonly name: string;
  private readonly idType: 'integer' | 'uuid';
  private readonly filters: readonly (KeysetFilter & { bit: number })[];
  private readonly timedIds: boolean;

  constructor(parts: KeysetListParts<Row>) {
    this.name = parts.name;
    this.timedIds = parts.timedIds ?? false;
    this.idType = parts.table.type('id') === 'uuid' ? 'uuid' : 'integer';
    const created = { name: 'range', sql: parts.table.column('createdAt'), type: 'timestamptz' };
    let bit = FIRST_EQUALITY;
    this.filters = [
      ...(parts.filters ?? []),
      { ...created, operator: '>=' as const },
      { ...created, operator: '<' as const },
    ].map((filter) => {
      if (filter.operator !== '=') return { ...filter, name: 'range', bit: RANGES };
      bit *= 2;
      return { ...filter, bit: bit / 2 };
    });
    this.statements = Array.from({ length: bit }, (_, variant) => {
      const chosen = this.filters.filter((filter) => variant & filter.bit);
      return keysetStatement(parts, this.idType, chosen, (variant & AFTER) !== 0);
    });
  }

  /**
   * What reads a page, up to one row more than its limit.
   * @throws ServiceError invalid_request for a cursor that this list did not give under these filters
   */
  request(page: PageRequest, filters: readonly ReadValue[]): PageRead<Row> {
    const given = this.given(page, filters);
    const after =
      page.cursor === undefined ? undefined : decodeCursor(page.cursor, this.idType, listMark(this.name, given));
    let variant = 0;
    this.filters.forEach(({ bit }, index) => (variant |= given[index] === null ? 0 : bit));
    const chosen = given.filter((_, index) => variant & (this.filters[index]?.bit ?? 0));
    const read = (place: ReadValue[], limit: number, least: ReadValue[]): PageRead<Row> => ({
      statement: this.statements[place.length > 0 ? variant | AFTER : variant] as ReadStatement<Row>,
      values: [limit, ...chosen, ...place, ...least],
    });
    if (!this.timedIds) return read(after ? [after.createdAt, after.id] : [], page.limit + 1, []);
    const { below, from, least } = idWindow(page, after?.id);
    return {
      ...read(below === undefined ? [] : [below], page.limit + 1, [from]),
      rest: (brought) =>
        brought > page.limit || from <= least ? undefined : read([from], page.limit + 1 - brought, [least]),
    };
  }

  /** The page made of the rows that {@link request} asked for. */
  page(rows: Row[], page: PageRequest, filters: readonly ReadValue[]): Page<Row> {
    return paginate(rows, page.limit, listMark(this.name, this.given(page, filters)));
  }

  /** The value of each filter, null if it is left out. */
  private given({ createdAfter, createdBefore }: PageRequest, filters: readonly ReadValue[]): ReadValue[] {
    const own = this.filters.slice(0, -2).map((_, index) => filters[index] ?? null);
    return [...own, createdAfter ?? null, createdBefore ?? null];
  }
}
