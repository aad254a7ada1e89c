import { decodeCursor, listMark, type Page, type PageRequest, paginate } from '@platform/pagination';
import type { CustomerDatabaseService } from '../customer-database.service';
import { type PreparedStatement, prepared } from '../connections/prepared-statement';
import type { ReadValue } from './scoped-read';

const ID_TYPES = { integer: 'integer', uuid: 'uuid' } as const;

/** How a list is read. */
export interface KeysetListOptions {
  /** Names its statements; after its place, such as `services.list`. */
  name: string;
  /** Type of the rows' `id`. */
  id: keyof typeof ID_TYPES;
  /** How many parameters the query has besides customer and limit; they are numbered from 3. */
  filters?: number;
  /**
   * The query. `$1` is the customer, `$2` the limit; `after` is a condition, beginning with `and`, that leaves out what was
   * on the pages before, to be put behind the condition on the customer. It must order by `created_at desc, id desc`.
   */
  query: (after: string) => string;
}

/** A list of a customer's own rows, newest first, read page by page: rows that are added meanwhile move none. */
export class KeysetList<Row extends { id: string | number; created_at: string }> {
  private readonly first: PreparedStatement;
  private readonly next: PreparedStatement;

  constructor(private readonly options: KeysetListOptions) {
    const { name, id, filters = 0, query } = options;
    const place = `($${filters + 3}::timestamptz, $${filters + 4}::${ID_TYPES[id]})`;
    this.first = prepared(`${name}.first`, query(''));
    this.next = prepared(`${name}.next`, query(`and (created_at, id) < ${place}`));
  }

  /** A page of the list. @throws ServiceError invalid_request for a cursor that this list did not give */
  async read(
    database: CustomerDatabaseService,
    { limit, cursor }: PageRequest,
    filters: readonly ReadValue[] = [],
  ): Promise<Page<Row>> {
    const list = listMark(this.options.name, filters);
    const after = cursor === undefined ? undefined : decodeCursor(cursor, this.options.id, list);
    const values = [limit + 1, ...filters];
    const rows = after
      ? await database.read<Row>(this.next, [...values, after.createdAt, after.id])
      : await database.read<Row>(this.first, values);
    return paginate(
      rows,
      limit,
      list,
      ({ created_at, id }) => ({ createdAt: created_at, id: String(id) }),
      (row) => row,
    );
  }
}
