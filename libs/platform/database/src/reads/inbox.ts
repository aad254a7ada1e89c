import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { ServiceError } from '@platform/errors';
import {
  inboxMark,
  inboxPage,
  type InboxPage,
  type InboxPlace,
  type InboxRequest,
  MOST_COUNTED,
  placeOfCursor,
  type SortKind,
} from '@platform/pagination';
import { inOrderOfAll } from './newest-rows';

const TYPES: Record<SortKind, string> = {
  time: 'timestamptz',
  day: 'date',
  number: 'numeric',
  uuid: 'uuid',
  text: 'text',
};
/** A text is cut where it orders, so that it fits into a cursor. */
const LONGEST_TEXT = 200;

/** An order of an inbox. */
export interface InboxOrder {
  /** SQL of the query that is never null, such as `t.createdAt`. */
  by: string;
  kind: SortKind;
}

/** The orders of an inbox by the names that callers use. */
export interface InboxOrders {
  /** Names the inbox, for its cursors. */
  name: string;
  /** What the query was narrowed by, for its cursors. */
  filters: readonly unknown[];
  /** Rows that have the text that is searched for, if they are known to be too many to be counted. */
  found?: number;
  orders: Readonly<Record<string, InboxOrder>>;
  /** The order that is used if a request names none, such as `-created_at`. */
  usual: string;
  /** The unique column that orders rows of one value. */
  id: InboxOrder;
}

/** A row of an inbox: an entity, and what the query selects besides. */
export interface InboxRow<Entity> {
  entity: Entity;
  raw: Record<string, unknown>;
}

/**
 * Reads a page of a query, with the number of its rows. Rows that are added or removed meanwhile move none from one page to
 * another. @throws ServiceError invalid_request for an order that there is not, or a cursor of another list
 */
export async function readInbox<Entity extends ObjectLiteral>(
  query: SelectQueryBuilder<Entity>,
  { name, filters, found, orders, usual, id }: InboxOrders,
  { limit, cursor, sort = usual }: InboxRequest,
): Promise<InboxPage<InboxRow<Entity>>> {
  const descends = sort.startsWith('-');
  const order = Object.hasOwn(orders, sort.replace('-', '')) ? orders[sort.replace('-', '')] : undefined;
  if (!order) throw new ServiceError('invalid_request', `sort must be one of ${Object.keys(orders).join(', ')}`);
  const mark = inboxMark(name, filters, sort);
  const place = cursor === undefined ? undefined : placeOfCursor(cursor, mark, { value: order.kind, id: id.kind });
  const isSearchedOnly = filters.filter((value) => value !== undefined && value !== false).length === 1;
  const counting = isSearchedOnly && found !== undefined ? found : countRows(query);
  const by = order.kind === 'text' ? `left(${order.by}, ${LONGEST_TEXT})` : order.by;
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
  if (order.by !== id.by) page.addOrderBy('order_id', direction);
  if (place) {
    const [value, idValue] = [`cast(:inboxValue as ${TYPES[order.kind]})`, `cast(:inboxId as ${TYPES[id.kind]})`];
    const sign = descends ? '<' : '>';
    // An order by the id alone has an index of its own.
    const behind =
      order.by === id.by
        ? `${id.by} ${sign} ${idValue}`
        : `(${ordered(by)}, ${id.by}) ${sign} (${ordered(value)}, ${idValue})`;
    page.andWhere(behind, { inboxValue: place.value, inboxId: place.id });
  }
  const [{ entities, raw }, counted] = await Promise.all([
    page.getRawAndEntities<Record<string, unknown> & { place_value: string; place_id: string }>(),
    counting,
  ]);
  const rows = entities.map((entity, index) => {
    const selected = raw[index] ?? { place_value: '', place_id: '' };
    const at: InboxPlace = { value: selected.place_value, id: selected.place_id };
    return { row: { entity, raw: selected }, place: at };
  });
  return inboxPage(rows, { limit, mark, counted });
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
