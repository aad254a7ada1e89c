import { Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, MoreThanOrEqual } from 'typeorm';
import { newestRows } from '@platform/database';
import type { Listing, ListingRequest } from '@platform/pagination';
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
  list({ since, ...filter }: RefusalQuery, listing: ListingRequest): Promise<Listing<RefusedRequest>> {
    const given = Object.entries<unknown>(filter).filter(([, value]) => value !== undefined);
    const where: FindOptionsWhere<RefusedRequest> = {
      ...Object.fromEntries(given),
      ...(since && { createdAt: MoreThanOrEqual(since) }),
    };
    return newestRows(this.dataSource.manager, RefusedRequest, { where }, listing);
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
