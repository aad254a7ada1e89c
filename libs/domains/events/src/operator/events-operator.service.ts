import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newestRows, readInbox } from '@platform/database';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
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

  /** A page of the events of one customer or of all, newest first; with the number of all. */
  async inbox({ customerId, type }: EventFilter, request: InboxRequest): Promise<InboxPage<EventEntity>> {
    const query = this.dataSource.manager
      .createQueryBuilder(EventEntity, 't')
      .where({ ...(customerId && { customerId }), ...(type && { type }) });
    const orders = { created_at: { by: 't.createdAt', kind: 'time' } } as const;
    const inbox = { name: 'events', filters: [customerId, type], orders, usual: '-created_at' };
    const page = await readInbox(query, { ...inbox, id: { by: 't.id', kind: 'uuid' } }, request);
    return page.map(({ entity }) => entity);
  }
}
