import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { OperatorList } from '@platform/database';
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
  private readonly events: OperatorList<EventEntity, EventFilter>;

  constructor(dataSource: DataSource) {
    const filters = { customerId: 'customerId', type: 'type' } as const;
    this.events = new OperatorList(dataSource, EventEntity, { name: 'events', filters });
  }

  /** Events of one customer or of all, newest first. */
  list(filter: EventFilter, listing: ListingRequest): Promise<Listing<EventEntity>> {
    return this.events.list(filter, listing);
  }

  /** A page of the events of one customer or of all, newest first; with the number of all. */
  inbox(filter: EventFilter, request: InboxRequest): Promise<InboxPage<EventEntity>> {
    return this.events.inbox(filter, request);
  }
}
