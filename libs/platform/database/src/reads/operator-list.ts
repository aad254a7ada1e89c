import type { DataSource, FindOptionsWhere, ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { ServiceError } from '@platform/errors';
import {
  inboxMark,
  inboxPage,
  type InboxPage,
  type InboxPlace,
  type InboxRequest,
  Listing,
  type ListingRequest,
  MOST_COUNTED,
  placeOfCursor,
  type SortKind,
} from '@platform/pagination';
import { narrowToText, type TextSearch } from './text-search';

const TYPES: Record<SortKind, string> = {
  time: 'timestamptz',
  day: 'date',
  number: 'numeric',
  uuid: 'uuid',
  text: 'text',
};
/** A text is cut where it orders, so that it fits into a cursor. */
const LONGEST_TEXT = 200;

/** Conditions on properties; or SQL of the query, with its parameters. */
type Condition<Entity> = FindOptionsWhere<Entity> | [sql: string, parameters?: ObjectLiteral];

/**
 * What a filter narrows a list to: the rows whose property of this name has the value; those that fulfil a condition, if the value is
 * not false; or those that have the value as a text somewhere.
 */
type FilterRule<Entity, Value> =
  | (keyof Entity & string)
  | ((value: Exclude<Value, undefined | false>) => Condition<Entity> | Promise<Condition<Entity>>)
  | { textSearch: (text: string) => TextSearch };

/** What a list can be ordered by. */
interface ListOrder {
  /** SQL of the query that is never null, such as `t.createdAt`. */
  by: string;
  kind: SortKind;
}

/** What a list has, as SQL of a query of the entity as `t`. */
interface ListDefinition<Entity extends ObjectLiteral, Filter, Besides> {
  /** Names the list, for its cursors. */
  name: string;
  /** All filters. A cursor is valid for the same values only, in this order. */
  filters: { [Name in keyof Filter]-?: FilterRule<Entity, Filter[Name]> };
  /** The orders of the inbox by the names that callers use. Default: `created_at`. */
  orders?: Readonly<Record<string, ListOrder>>;
  /** The order that is used if a request names none. Default: `-created_at`. */
  usual?: string;
  /** The unique column that orders rows of one value. Default: the property `id`, a UUID. */
  id?: ListOrder;
  /** The order of the command line's list if it is another one than the usual, such as `-starts_at`; `-id` for the id alone. */
  listed?: string;
  /** A unique column that the command line's list is ordered by instead, ascending, and whose values it continues after. */
  listedBy?: ListOrder;
  /** Instead of `t`. */
  alias?: string;
  /** Adds conditions that the list always has, and joins of at most one row each. */
  base?: (query: SelectQueryBuilder<Entity>) => unknown;
  /** SQL of the values that rows have besides their columns. */
  select?: Readonly<Record<keyof Besides & string, string>>;
}

/** An order of a query. */
interface QueryOrder {
  order: ListOrder;
  id: ListOrder;
  descends: boolean;
}

/** A list of the operator, of one customer or of all: for the command line, and for the console, which calls it an inbox. */
export class OperatorList<Entity extends ObjectLiteral, Filter extends object, Besides extends object = object> {
  private readonly alias: string;
  private readonly id: ListOrder;
  private readonly orders: Readonly<Record<string, ListOrder>>;
  private readonly usual: string;

  constructor(
    private readonly dataSource: DataSource,
    private readonly entity: new () => Entity,
    private readonly definition: ListDefinition<Entity, NoInfer<Filter>, NoInfer<Besides>>,
  ) {
    this.alias = definition.alias ?? 't';
    this.id = definition.id ?? { by: `${this.alias}.id`, kind: 'uuid' };
    this.orders = definition.orders ?? { created_at: { by: `${this.alias}.createdAt`, kind: 'time' } };
    this.usual = definition.usual ?? '-created_at';
  }

  /**
   * Rows in the order of the command line, behind the row that `after` names: rows that are added meanwhile move none.
   * @throws ServiceError invalid_request if the list has no such row
   */
  async list(filter: Filter, { limit, after }: ListingRequest): Promise<Listing<Entity & Besides>> {
    const { listed = this.usual, listedBy } = this.definition;
    const order = listedBy
      ? { order: listedBy, id: listedBy, descends: false }
      : this.orderOf(listed, { ...this.orders, id: this.id });
    const { query, columns } = await this.narrow(filter);
    const place = after === undefined ? undefined : await this.placeAfter(after, order, columns);
    const rows = await this.read(query, order, limit, place);
    return Listing.fromRows(rows, limit, (found) => found.place.id).map(({ row }) => row);
  }

  /**
   * A page in the order that the request names, with the number of all rows. Rows that are added or removed meanwhile move none from
   * one page to another. @throws ServiceError invalid_request for an order that there is not, or a cursor of another list
   */
  async inbox(
    filter: Filter,
    { limit, cursor, sort = this.usual }: InboxRequest,
  ): Promise<InboxPage<Entity & Besides>> {
    const order = this.orderOf(sort, this.orders);
    const mark = inboxMark(
      this.definition.name,
      this.filterNames.map((name) => filter[name]),
      sort,
    );
    const kinds = { value: order.order.kind, id: order.id.kind };
    const place = cursor === undefined ? undefined : placeOfCursor(cursor, mark, kinds);
    const { query, known } = await this.narrow(filter);
    const [rows, counted] = await Promise.all([this.read(query, order, limit, place), known ?? countRows(query)]);
    return inboxPage(rows, { limit, mark, counted });
  }

  private get filterNames(): (keyof Filter & string)[] {
    return Object.keys(this.definition.filters) as (keyof Filter & string)[];
  }

  private allRows(): SelectQueryBuilder<Entity> {
    // Not kept: within a request that writes, it is the manager of that transaction.
    const query = this.dataSource.manager.createQueryBuilder(this.entity, this.alias);
    this.definition.base?.(query);
    return query;
  }

  /** @throws ServiceError invalid_request */
  private orderOf(sort: string, orders: Readonly<Record<string, ListOrder>>): QueryOrder {
    const name = sort.replace('-', '');
    const order = Object.hasOwn(orders, name) ? orders[name] : undefined;
    if (!order) throw new ServiceError('invalid_request', `sort must be one of ${Object.keys(orders).join(', ')}`);
    return { order, id: this.id, descends: sort.startsWith('-') };
  }

  /**
   * The query of a filter, its conditions on properties, and the number of its rows if the search for a text has told already that
   * they are too many to be counted.
   */
  private async narrow(
    filter: Filter,
  ): Promise<{ query: SelectQueryBuilder<Entity>; columns: ObjectLiteral[]; known?: number }> {
    const { filters, select = {} } = this.definition;
    const query = this.allRows();
    for (const [name, sql] of Object.entries<string>(select)) query.addSelect(sql, name);
    const columns: ObjectLiteral[] = [];
    let given = 0;
    let found: number | undefined;
    for (const name of this.filterNames) {
      const rule: FilterRule<Entity, Filter[typeof name]> = filters[name];
      const value = filter[name];
      if (value === undefined || (value === false && typeof rule !== 'string')) continue;
      given += 1;
      if (typeof rule === 'object') {
        const text = String(value);
        found = await narrowToText(query, rule.textSearch(text), text);
        continue;
      }
      const condition =
        typeof rule === 'string'
          ? { [rule]: value }
          : await rule(value as Exclude<Filter[typeof name], undefined | false>);
      if (Array.isArray(condition)) query.andWhere(`(${condition[0]})`, condition[1]);
      else {
        columns.push(condition);
        query.andWhere(condition);
      }
    }
    return { query, columns, known: given === 1 ? found : undefined };
  }

  /** The place of the row that `after` names. @throws ServiceError invalid_request if the list has none */
  private async placeAfter(after: string, { order, id }: QueryOrder, columns: ObjectLiteral[]): Promise<InboxPlace> {
    if (this.definition.listedBy) return { value: after, id: after };
    const query = this.allRows()
      // Text: a date of JavaScript has no microseconds.
      .select(`cast(${order.by} as text)`, 'value')
      .addSelect(`cast(${id.by} as text)`, 'id')
      .andWhere({ id: after });
    for (const condition of columns) query.andWhere(condition);
    const place = await query.getRawOne<InboxPlace>();
    if (!place) throw new ServiceError('invalid_request', `The list has no row with the id ${after}`);
    return place;
  }

  /** Reads a row more than the limit, behind a place. */
  private async read(
    query: SelectQueryBuilder<Entity>,
    { order, id, descends }: QueryOrder,
    limit: number,
    place: InboxPlace | undefined,
  ): Promise<{ row: Entity & Besides; place: InboxPlace }[]> {
    // An order by the id alone has an index of its own.
    const isById = order.by === id.by;
    const by = order.kind === 'text' && !isById ? `left(${order.by}, ${LONGEST_TEXT})` : order.by;
    const ordered = (sql: string) => (order.kind === 'time' ? inOrderOfAll(sql) : `(${sql})`);
    const direction = descends ? 'DESC' : 'ASC';
    const page = query
      .clone()
      // Text: a date of JavaScript has no microseconds.
      .addSelect(`cast(${by} as text)`, 'place_value')
      .addSelect(`cast(${id.by} as text)`, 'place_id')
      // In brackets: a plain property would get the name in place of its own.
      .addSelect(ordered(by), 'order_value')
      .addSelect(`(${id.by})`, 'order_id')
      .orderBy('order_value', direction)
      .limit(limit + 1);
    if (!isById) page.addOrderBy('order_id', direction);
    if (place) {
      const [value, idValue] = [`cast(:placeValue as ${TYPES[order.kind]})`, `cast(:placeId as ${TYPES[id.kind]})`];
      const sign = descends ? '<' : '>';
      const behind = isById
        ? `${id.by} ${sign} ${idValue}`
        : `(${ordered(by)}, ${id.by}) ${sign} (${ordered(value)}, ${idValue})`;
      page.andWhere(behind, { placeValue: place.value, placeId: place.id });
    }
    const { entities, raw } = await page.getRawAndEntities<Record<string, unknown>>();
    const besides = Object.keys(this.definition.select ?? {});
    return entities.map((entity, index) => {
      const selected = raw[index] ?? {};
      const values = Object.fromEntries(besides.map((name) => [name, selected[name]])) as Besides;
      const { place_value: value, place_id: idValue } = selected;
      return { row: Object.assign(entity, values), place: { value: String(value), id: String(idValue) } };
    });
  }
}

/**
 * SQL of a time as lists of all customers are ordered by it, and as their indexes have it. Not the bare column: PostgreSQL would
 * walk such an index for a list of one customer too, through the rows of all others, wherever it expects that to cost less.
 */
function inOrderOfAll(time: string): string {
  return `(${time} at time zone 'UTC')`;
}

/** Counts the rows of a query, but not further than one beyond {@link MOST_COUNTED}. */
async function countRows<Entity extends ObjectLiteral>(query: SelectQueryBuilder<Entity>): Promise<number> {
  const [text, values] = query
    .clone()
    .select('1', 'one')
    .orderBy()
    .limit(MOST_COUNTED + 1)
    .getQueryAndParameters();
  const [row] = await query.dataSource.query<{ count: number }[]>(
    `select count(*)::int as count from (${text}) counted`,
    values,
  );
  return row?.count ?? 0;
}
