import { Injectable } from '@nestjs/common';
import { And, DataSource, type FindOptionsWhere, LessThan, MoreThanOrEqual } from 'typeorm';
import { newestRows, readInbox } from '@platform/database';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Filters of the list. */
export interface AuditQuery {
  customerId?: string;
  action?: string;
  /** Who did it, such as `operator:kari`. */
  actor?: string;
  /** Only entries since then. */
  since?: Date;
  /** Only entries before then. */
  until?: Date;
}

/** Lists the audit log for the operator. */
@Injectable()
export class AuditOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Entries, newest first. */
  list(query: AuditQuery, listing: ListingRequest): Promise<Listing<AuditLogEntry>> {
    return newestRows(this.dataSource.manager, AuditLogEntry, { where: columnsOf(query) }, listing);
  }

  /** A page of the entries, newest first; with the number of all. */
  async inbox(filter: AuditQuery, request: InboxRequest): Promise<InboxPage<AuditLogEntry>> {
    const { customerId, action, actor, since, until } = filter;
    const byId = { by: 't.id', kind: 'uuid' } as const;
    const query = this.dataSource.manager.createQueryBuilder(AuditLogEntry, 't').where(columnsOf(filter));
    const inbox = {
      name: 'audit',
      filters: [customerId, action, actor, since, until],
      orders: { created_at: byId },
      id: byId,
    };
    const page = await readInbox(query, { ...inbox, usual: '-created_at' }, request);
    return page.map(({ entity }) => entity);
  }
}

function columnsOf({ since, until, ...filter }: AuditQuery): FindOptionsWhere<AuditLogEntry> {
  const given = Object.fromEntries(Object.entries<unknown>(filter).filter(([, value]) => value !== undefined));
  const times = [...(since ? [MoreThanOrEqual(since)] : []), ...(until ? [LessThan(until)] : [])];
  return { ...given, ...(times.length > 0 && { createdAt: And(...times) }) };
}
