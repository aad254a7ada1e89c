import type { ReadStatement } from './read-statement';

/** A condition on a list that a caller may leave out. */
export interface KeysetFilter {
  /** Names the statements that have it. */
  name: string;
  /** What is compared. */
  sql: string;
  type: string;
  operator: '=' | '>=' | '<=' | '<';
}

/** What a keyset list is made of. */
export interface KeysetListParts<Row> {
  /** Names its statements; after its place, such as `services.list`. Cursors of a list are of no use under another name. */
  name: string;
  table: { from: string; column(property: string): string; type(property: string): string };
  /** The select list, and how it is decoded. */
  selection: string;
  columns: ReadStatement<Row>['columns'];
  /** A condition that always holds. */
  where?: string;
  /** Whether ids carry time: then they alone are the order, and their bounds leave out partitions. */
  timedIds?: boolean;
  /** Conditions that a caller may leave out, besides the range of `createdAt` that every list has. */
  filters?: readonly KeysetFilter[];
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
  { name, table, selection, columns, where, timedIds = false }: KeysetListParts<Row>,
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
  const text = `select ${selection} from ${table.from} where ${conditions.join(' and ')}
    order by ${order} limit $2`;
  const names = new Set(chosen.map((filter) => filter.name));
  return { name: [name, ...names, ...(after ? ['after'] : [])].join('.'), text, columns };
}
