import type { EntityManager, FindOptionsWhere, SelectQueryBuilder } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { Listing, type ListingRequest } from '@platform/pagination';

/** An entity whose rows the operator lists. */
interface Listed {
  id: string | number;
}

/** The rows of an operator's list. */
export interface NewestRows<Entity> {
  where: FindOptionsWhere<Entity>;
  /** The time that orders the list, before the id. None: the id alone, which carries time and has an index of its own. */
  by?: keyof Entity & string;
}

/**
 * SQL of a time as lists of all customers are ordered by it, and as their indexes have it. Not the bare column: PostgreSQL would
 * walk such an index for a list of one customer too, through the rows of all others, wherever it expects that to cost less.
 */
export function inOrderOfAll(time: string): string {
  return `(${time} at time zone 'UTC')`;
}

/**
 * Rows of one customer or of all, newest first, behind the row that `after` names: rows that are added meanwhile move none.
 * @throws ServiceError invalid_request if the list has no such row
 */
export async function newestRows<Entity extends Listed>(
  manager: EntityManager,
  entity: new () => Entity,
  rows: NewestRows<Entity>,
  listing: ListingRequest,
): Promise<Listing<Entity>> {
  const query = await newestQuery(manager, entity, rows, listing);
  return Listing.fromRows(await query.getMany(), listing.limit, ({ id }) => id);
}

/**
 * The query of {@link newestRows}, of the entity as `t`, to be added to. It reads a row more than the limit.
 * @throws ServiceError invalid_request if the list has no row that `after` names
 */
export async function newestQuery<Entity extends Listed>(
  manager: EntityManager,
  entity: new () => Entity,
  { where, by }: NewestRows<Entity>,
  { limit, after }: ListingRequest,
): Promise<SelectQueryBuilder<Entity>> {
  const query = manager.createQueryBuilder(entity, 't').where(where);
  if (by) query.addSelect(inOrderOfAll(`t.${by}`), 'order_value').orderBy('order_value', 'DESC');
  query.addOrderBy('t.id', 'DESC').limit(limit + 1);
  if (after === undefined) return query;
  const last = await manager
    .createQueryBuilder(entity, 't')
    // Text: a date of JavaScript has no microseconds.
    .select(by ? `cast(t.${by} as text)` : 't.id', 'place')
    .where({ ...where, id: after })
    .getRawOne<{ place: string }>();
  if (!last) throw new ServiceError('invalid_request', `The list has no row with the id ${after}`);
  return by
    ? query.andWhere(`(${inOrderOfAll(`t.${by}`)}, t.id) < (${inOrderOfAll('cast(:place as timestamptz)')}, :after)`, {
        ...last,
        after,
      })
    : query.andWhere('t.id < :after', { after });
}
