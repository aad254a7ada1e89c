import { decodeCursor, listMark, type Page, type PageRequest, paginate } from '@platform/pagination';
import type { ReadStatement, ReadValue } from '../prepared-statement';

/** The place of a row in a list, which is ordered by `createdAt desc, id desc`, or by `id desc` if ids carry time. */
export interface Placed {
  id: string | number;
  createdAt: string;
}

/** A read of rows of a page. */
export interface PageRead<Row> {
  statement: ReadStatement<Row>;
  /** From `$2` on. */
  values: ReadValue[];
  /** The read that follows when this one brought so few rows. */
  rest?: (brought: number) => PageRead<Row> | undefined;
}

/** Bytes of large values from which on a page ends, apart from the row that reaches them. In JSON they may be six times as many. */
const PAGE_BYTES = 256 * 1024;

/** The uses of a statement, as bits: behind a cursor, with ranges, and a bit for each filter that compares for equality. */
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
   * The read of a page, up to one row more than its limit.
   * @throws ServiceError invalid_request for a cursor that this list did not give under these filters
   */
  request(page: PageRequest, filters: readonly ReadValue[]): PageRead<Row> {
    const given = this.given(page, filters);
    const after =
      page.cursor === undefined ? undefined : decodeCursor(page.cursor, this.idType, listMark(this.name, given));
    let variant = 0;
    for (const [place, { bit }] of this.filters.entries()) if (given[place] !== null) variant |= bit;
    const chosen: ReadValue[] = [];
    for (const [place, { bit }] of this.filters.entries()) if (variant & bit) chosen.push(given[place]);
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

  /** The page made of the rows that {@link request} asked for. The row that reached its bytes tells that there is more. */
  page(rows: Row[], page: PageRequest, filters: readonly ReadValue[]): Page<Row> {
    const { pageBytes = 0 } = (rows.at(-1) ?? {}) as Partial<Measured>;
    const limit = pageBytes < PAGE_BYTES ? page.limit : Math.min(page.limit, Math.max(1, rows.length - 1));
    return paginate(rows, limit, listMark(this.name, this.given(page, filters)));
  }

  /** The value of each filter, null if it is left out. */
  private given({ createdAfter, createdBefore }: PageRequest, filters: readonly ReadValue[]): ReadValue[] {
    const given: ReadValue[] = [];
    while (given.length < this.filters.length - 2) given.push(filters[given.length] ?? null);
    given.push(createdAfter ?? null, createdBefore ?? null);
    return given;
  }
}

/** A row of a list with large values. */
interface Measured {
  /** Bytes of the large values of the page, up to this row's. */
  pageBytes: number;
}

/** A condition on a list that a caller may leave out. */
export interface KeysetFilter {
  /** Names the statements that have it. */
  name: string;
  /** The SQL that is compared. */
  sql: string;
  type: string;
  operator: '=' | '>=' | '<=' | '<';
}

/** The parts of a keyset list. */
export interface KeysetListParts<Row> {
  /** Names its statements; after its place, such as `services.list`. Cursors of a list are of no use under another name. */
  name: string;
  table: { from: string; column(property: string): string; type(property: string): string };
  /** The select list, and how it is decoded. */
  selection: string;
  columns: ReadStatement<Row>['columns'];
  /** Values that may make a page end before its limit. */
  large?: LargeValues;
  /** A condition that always holds. */
  where?: string;
  /** Whether ids carry time: then they alone are the order, and their bounds leave out partitions. */
  timedIds?: boolean;
  /** Conditions that a caller may leave out, besides the range of `createdAt` that every list has. */
  filters?: readonly KeysetFilter[];
}

/** Large values of a list's rows. They are made for the rows of the page only, whose bytes are known before. */
export interface LargeValues {
  /** A query of one row for each row of the table: its `bytes`, and what the values are made of. */
  measure: string;
  /** The select list, in terms of `page`: the rows with the columns of `measure`. */
  selection: string;
}

/**
 * The bound of a range; an open one if the value is null, which greatest and least ignore. Not with coalesce: under row level
 * security PostgreSQL takes that for a function that might leak, and no index condition is made of it.
 */
const BOUND = {
  '>=': (given: string) => `greatest(${given}, '-infinity')`,
  '<': (given: string) => `least(${given}, 'infinity')`,
  '<=': (given: string) => `least(${given}, 'infinity')`,
};

/**
 * The statement that reads a page under the filters that are chosen. `$1` is the customer, `$2` the limit; the filters' values
 * follow, then the place of the row before. A range whose value is left out is open: its bound is infinity, which an index
 * condition can have. With ids that carry time the place is an id, and the least id that is read comes last.
 */
export function keysetStatement<Row>(
  { name, table, selection, columns, large, where, timedIds = false }: KeysetListParts<Row>,
  idType: string,
  chosen: readonly KeysetFilter[],
  after: boolean,
): ReadStatement<Row> {
  const [customer, createdAt, id] = ['customerId', 'createdAt', 'id'].map((property) => table.column(property));
  const conditions = [`${customer} = $1`, ...(where === undefined ? [] : [where])];
  let parameters = 2;
  for (const { sql, type, operator } of chosen) {
    const given = `$${++parameters}::${type}`;
    conditions.push(`${sql} ${operator} ${operator === '=' ? given : BOUND[operator](given)}`);
  }
  const place = timedIds ? [id] : [createdAt, id];
  if (after) {
    const given = [...(timedIds ? [] : ['timestamptz']), idType].map((type) => `$${++parameters}::${type}`);
    conditions.push(`(${place.join(', ')}) < (${given.join(', ')})`);
  }
  if (timedIds) conditions.push(`${id} >= $${++parameters}::uuid`);
  const order = place.map((column) => `${column} desc`).join(', ');
  const read = (selected: string, from: string) =>
    `select ${selected} from ${from} where ${conditions.join(' and ')} order by ${order} limit $2`;
  const text = large
    ? measured(read(`${selection}, large.*`, `${table.from} cross join lateral (${large.measure}) large`), large)
    : read(selection, table.from);
  const names = new Set(chosen.map((filter) => filter.name));
  return { name: [name, ...names, ...(after ? ['after'] : [])].join('.'), text, columns };
}

/** The first rows of a read up to {@link PAGE_BYTES}, and the one that reaches them; two at least, of which the second tells of more. */
function measured(read: string, { selection }: LargeValues): string {
  const order = 'page."createdAt" desc, page."id" desc';
  return `select ${selection}, page."pageBytes" from (
      select page.*, sum(page.bytes) over w as "pageBytes", row_number() over w as place
      from (${read}) page window w as (order by ${order} rows unbounded preceding)) page
    where page."pageBytes" - page.bytes < ${PAGE_BYTES} or page.place = 2 order by ${order}`;
}

/** The least id of all. */
export const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** The least id (UUIDv7, `app.new_id`) of a moment, in milliseconds since 1970; before 1970 the least of all. */
export function firstIdAt(moment: number): string {
  if (moment <= 0) return LEAST_ID;
  const hex = Math.floor(moment).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The moment of an id that carries time, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

const DAY_MS = 86_400_000;
/** The newest rows that a page is looked for in first: two partitions at most. */
const WINDOW_MS = 31 * DAY_MS;
/** How far an id's time and `createdAt` may be apart. */
const MARGIN_MS = 3_600_000;
/** Later than any id: cursors are callers' texts. */
const LATEST_MS = Date.UTC(2500, 0);

/** Where a page of a list with ids that carry time may be: rows with `id < below`, of which those from `from` on are read first. */
export interface IdWindow {
  /** Undefined: no bound. */
  below: string | undefined;
  from: string;
  /** No row that the range of time asks for is below this id. */
  least: string;
}

/**
 * Bounds on ids that let PostgreSQL leave out partitions. A page reads the newest month that it can begin in; only a page
 * that is not full then reads what lies before.
 */
export function idWindow({ createdAfter, createdBefore }: Partial<PageRequest>, afterId: string | undefined): IdWindow {
  const least = createdAfter === undefined ? LEAST_ID : firstIdAt(Date.parse(createdAfter) - MARGIN_MS);
  let below = createdBefore === undefined ? undefined : firstIdAt(Date.parse(createdBefore) + MARGIN_MS);
  if (afterId !== undefined && (below === undefined || afterId < below)) below = afterId;
  // eslint-disable-next-line no-restricted-syntax -- any moment is right: what lies before it is read if the page is not full
  const from = firstIdAt((below === undefined ? Date.now() : Math.min(timeOfId(below), LATEST_MS)) - WINDOW_MS);
  return { below, from: from > least ? from : least, least };
}
