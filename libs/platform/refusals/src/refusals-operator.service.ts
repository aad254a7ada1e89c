import { Injectable } from '@nestjs/common';
import { DataSource, MoreThanOrEqual, Raw } from 'typeorm';
import { OperatorList } from '@platform/database';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { RefusedRequest } from './entities/refused-request.entity';

/** Rows that a statement deletes. */
const PURGED_AT_ONCE = 5_000;

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
  private readonly requests: OperatorList<RefusedRequest, RefusalQuery>;

  constructor(private readonly dataSource: DataSource) {
    this.requests = new OperatorList(dataSource, RefusedRequest, {
      name: 'requests',
      filters: {
        customerId: 'customerId',
        requestId: 'requestId',
        code: 'code',
        status: 'status',
        fingerprint: (digits) => ({ fingerprint: digits.toLowerCase() }),
        network: 'network',
        // By the id as well, which has an index and is made later than the request ended.
        since: (since) => ({
          createdAt: MoreThanOrEqual(since),
          id: Raw((id) => `${id} >= app.first_id(:idsSince)`, { idsSince: since }),
        }),
      },
      orders: { created_at: { by: 't.id', kind: 'uuid' } },
    });
  }

  /** Refused requests, newest first. */
  list(query: RefusalQuery, listing: ListingRequest): Promise<Listing<RefusedRequest>> {
    return this.requests.list(query, listing);
  }

  /** A page of them, newest first; with the number of all. */
  inbox(filter: RefusalQuery, request: InboxRequest): Promise<InboxPage<RefusedRequest>> {
    return this.requests.inbox(filter, request);
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
  async purge(days: number, signal?: AbortSignal): Promise<number> {
    // By the id, which has an index and begins with the time.
    const [{ id }] = await this.dataSource.query<[{ id: string }]>(
      'select app.first_id(app.now() - make_interval(days => $1)) as id',
      [days],
    );
    let purged = 0;
    for (let count = PURGED_AT_ONCE; count >= PURGED_AT_ONCE && !signal?.aborted; purged += count)
      [, count] = await this.dataSource.query<[unknown, number]>(
        `delete from refused_request where id in (select id from refused_request where id < $1 order by id limit ${PURGED_AT_ONCE})`,
        [id],
      );
    return purged;
  }
}
