import { Injectable } from '@nestjs/common';
import { And, DataSource, type FindOptionsWhere, LessThan, MoreThanOrEqual } from 'typeorm';
import { newestRows } from '@platform/database';
import type { Listing, ListingRequest } from '@platform/pagination';
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
  list({ since, until, ...filter }: AuditQuery, listing: ListingRequest): Promise<Listing<AuditLogEntry>> {
    const given = Object.fromEntries(Object.entries<unknown>(filter).filter(([, value]) => value !== undefined));
    const times = [...(since ? [MoreThanOrEqual(since)] : []), ...(until ? [LessThan(until)] : [])];
    const where: FindOptionsWhere<AuditLogEntry> = { ...given, ...(times.length > 0 && { createdAt: And(...times) }) };
    return newestRows(this.dataSource.manager, AuditLogEntry, { where }, listing);
  }
}
