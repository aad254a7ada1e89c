import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newestRows } from '@platform/database';
import type { Listing, ListingRequest } from '@platform/pagination';
import { EventEntity } from '../entities/event.entity';
import type { EventType } from '../event-types';

/** Filters of the list. */
export interface EventFilter {
  customerId?: string;
  type?: EventType;
}

/** The event log for the operator. */
@Injectable()
export class EventsOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /** Events of one customer or of all, newest first. */
  list({ customerId, type }: EventFilter, listing: ListingRequest): Promise<Listing<EventEntity>> {
    const where = { ...(customerId && { customerId }), ...(type && { type }) };
    return newestRows(this.dataSource.manager, EventEntity, { where, by: 'createdAt' }, listing);
  }
}
