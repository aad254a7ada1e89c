import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, MoreThanOrEqual, Raw } from 'typeorm';
import { newestRows, readInbox } from '@platform/database';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { RefusedRequest } from './entities/refused-request.entity';

/** Filters of the list. */
export interface RefusalQuery {
  customerId?: string;
  requestId?: string;
  /** A code of the error catalogue. */
  code?: string;
  status?: number;
  /** The first 12 hexadecimal digits of the SHA-256 of a refused token. */
  fingerprint?: string;
  /** The caller's network, as the list shows it. */
  network?: string;
  /** Only those since then. */
  since?: Date;
}

/** Refused requests for the operator. */
@Injectable()
export class RefusalsOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Refused requests, newest first. */
  list(query: RefusalQuery, listing: ListingRequest): Promise<Listing<RefusedRequest>> {
    return newestRows(this.dataSource.manager, RefusedRequest, { where: columnsOf(query) }, listing);
  }

  /** A page of them, newest first; with the number of all. */
  async inbox(filter: RefusalQuery, request: InboxRequest): Promise<InboxPage<RefusedRequest>> {
    const { customerId, requestId, code, status, fingerprint, network, since } = filter;
    const filters = [customerId, requestId, code, status, fingerprint, network, since];
    const byId = { by: 't.id', kind: 'uuid' } as const;
    const query = this.dataSource.manager.createQueryBuilder(RefusedRequest, 't').where(columnsOf(filter));
    const inbox = { name: 'requests', filters, orders: { created_at: byId }, id: byId, usual: '-created_at' };
    return (await readInbox(query, inbox, request)).map(({ entity }) => entity);
  }

  /** Refused requests of the last days of UTC, by day and code; days without one are left out. */
  byDay(days: number): Promise<{ day: string; code: string; requests: number }[]> {
    return this.dataSource.query(
      `select day::text, coalesce(code, 'none') as code, count(*)::int as requests
       from (select (created_at at time zone 'UTC')::date as day, code from refused_request
             where id >= app.first_id(app.now() - make_interval(days => $1))) r
       group by r.day, code order by r.day, 2`,
      [days],
    );
  }

  /** The faults of other systems in the last hour, by code: their number, and the time of the last. */
  upstreamFaults(): Promise<{ code: string; requests: number; lastAt: Date }[]> {
    return this.dataSource.query(
      `select code, count(*)::int as requests, max(created_at) as "lastAt" from refused_request
       where id >= app.first_id(app.now() - interval '1 hour') and code ~ '^(ai_upstream|sms_gateway)_' group by code order by code`,
    );
  }

  /** Deletes those of the given number of days ago. @returns how many */
  async purge(days: number): Promise<number> {
    // By the id, which has an index and begins with the time.
    const [{ id }] = await this.dataSource.query<[{ id: string }]>(
      'select app.first_id(app.now() - make_interval(days => $1)) as id',
      [days],
    );
    const [, count] = await this.dataSource.query<[unknown, number]>('delete from refused_request where id < $1', [id]);
    return count;
  }
}

function columnsOf({ since, ...filter }: RefusalQuery): FindOptionsWhere<RefusedRequest> {
  const given = Object.entries<unknown>(filter).filter(([, value]) => value !== undefined);
  // By the id as well, which has an index and is made later than the request ended.
  const id = Raw((column) => `${column} >= app.first_id(:idsSince)`, { idsSince: since });
  return { ...Object.fromEntries(given), ...(since && { createdAt: MoreThanOrEqual(since), id }) };
}
