import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newestRows } from '@platform/database';
import type { Listing, ListingRequest } from '@platform/pagination';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Filters of the list. */
export interface AuditQuery {
  customerId?: string;
  action?: string;
  /** Who did it, such as `operator:kari`. */
  actor?: string;
}

/** Lists the audit log for the operator. */
@Injectable()
export class AuditOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Entries, newest first. */
  list({ customerId, action, actor }: AuditQuery, listing: ListingRequest): Promise<Listing<AuditLogEntry>> {
    const where = { ...(customerId && { customerId }), ...(action && { action }), ...(actor && { actor }) };
    return newestRows(this.dataSource.manager, AuditLogEntry, { where }, listing);
  }
}
