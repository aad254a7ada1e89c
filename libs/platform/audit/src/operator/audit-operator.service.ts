import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newestRows } from '@platform/database';
import type { Listing, ListingRequest } from '@platform/pagination';
import { AuditLogEntry } from '../entities/audit-log-entry.entity';

/** Filters of the list. */
export interface AuditQuery {
  customerId?: string;
  action?: string;
}

/** Lists the audit log for the operator. */
@Injectable()
export class AuditOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Entries, newest first. */
  list({ customerId, action }: AuditQuery, listing: ListingRequest): Promise<Listing<AuditLogEntry>> {
    const where = { ...(customerId ? { customerId } : {}), ...(action ? { action } : {}) };
    return newestRows(this.dataSource.manager, AuditLogEntry, { where }, listing);
  }
}
