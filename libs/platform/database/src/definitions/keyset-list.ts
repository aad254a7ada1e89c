import { decodeCursor, listMark, type Page, type PageRequest, paginate } from '@platform/pagination';
import type { ReadStatement, ReadValue } from './read-statement';

/** What gives a row its place in a list, which is ordered by `createdAt desc, id desc`. */
export interface Placed {
  id: string | number;
  createdAt: string;
}

/** A condition on a list that a caller may leave out. */
export interface KeysetFilter<Property extends string = string> {
  property: Property;
  operator: '=' | '>=' | '<=';
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
  filters?: readonly KeysetFilter[];
}

/**
 * A list of a customer's own rows, newest first, read page by page: rows that are added meanwhile move none. A page is read by
 * one of up to four statements: with or without filters, from the beginning or behind a cursor.
 */
export class KeysetList<Row extends Placed> {
  readonly statements: ReadonlyMap<string, ReadStatement<Row>>;
  private readonly name: string;
  private readonly idType: 'integer' | 'uuid';

  constructor(parts: KeysetListParts<Row>) {
    this.name = parts.name;
    this.idType = parts.table.type('id') === 'uuid' ? 'uuid' : 'integer';
    const filters = parts.filters ?? [];
    const variants = [[], [AFTER], ...(filters.length > 0 ? [[FILTERED], [FILTERED, AFTER]] : [])];
    this.statements = new Map(variants.map((variant) => [variant.join('-'), statement(parts, this.idType, variant)]));
  }

  /**
   * The statement that reads a page, and its values from `$2` on.
   * @throws ServiceError invalid_request for a cursor that this list did not give under these filters
   */
  request(
    { limit, cursor }: PageRequest,
    filters: readonly ReadValue[],
  ): { statement: ReadStatement<Row>; values: ReadValue[] } {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, this.idType, listMark(this.name, filters));
    const filtered = filters.some((value) => value !== undefined && value !== null);
    const variant = [...(filtered ? [FILTERED] : []), ...(after ? [AFTER] : [])].join('-');
    const statement = this.statements.get(variant);
    if (!statement) throw new Error(`${this.name} has no filters`);
    const place = after ? [after.createdAt, after.id] : [];
    return { statement, values: [limit + 1, ...(filtered ? filters : []), ...place] };
  }

  /** The page made of the rows that {@link request} asked for. */
  page(rows: Row[], { limit }: PageRequest, filters: readonly ReadValue[]): Page<Row> {
    return paginate(rows, limit, listMark(this.name, filters));
  }
}

const FILTERED = 'filtered';
const AFTER = 'after';

function statement<Row>(
  { name, table, selection, columns, where, filters = [] }: KeysetListParts<Row>,
  idType: string,
  variant: readonly string[],
): ReadStatement<Row> {
  const [customer, createdAt, id] = ['customerId', 'createdAt', 'id'].map((property) => table.column(property));
  const conditions = [`${customer} = $1`, ...(where === undefined ? [] : [where])];
  // $1 is the customer, $2 the limit.
  let parameters = 2;
  if (variant.includes(FILTERED)) {
    for (const { property, operator } of filters) {
      const given = `$${++parameters}::${table.type(property)}`;
      conditions.push(`(${given} is null or ${table.column(property)} ${operator} ${given})`);
    }
  }
  if (variant.includes(AFTER))
    conditions.push(`(${createdAt}, ${id}) < ($${parameters + 1}::timestamptz, $${parameters + 2}::${idType})`);
  const text = `select ${selection} from ${table.from} where ${conditions.join(' and ')}
    order by ${createdAt} desc, ${id} desc limit $2`;
  return { name: [name, ...variant].join('.'), text, columns };
}
