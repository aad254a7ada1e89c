import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { databaseNow, OperatorList } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import {
  type InboxPage,
  type InboxRequest,
  type Listing,
  type ListingRequest,
  MOST_COUNTED,
} from '@platform/pagination';
import { ServicesOperatorService } from '@domains/services';
import { announceBegun, announceEnded } from '../status-announcements';
import { STATUS_MESSAGE_MAX } from '../status-values';
import { StatusEvent } from '../entities/status-event.entity';

/** A new event. */
export type NewStatusEvent = Pick<StatusEvent, 'serviceId' | 'status' | 'message'> & {
  startsAt?: Date;
  /** The customer that is meant: the service of another one is refused. */
  customerId?: string;
};

/** Filters of the list. */
export interface StatusEventFilter {
  customerId?: string;
  /** Only events that have not ended. */
  present?: boolean;
}

/** Manages status events of services for the operator. Every change is audited. */
@Injectable()
export class StatusEventsOperatorService {
  private readonly events: OperatorList<StatusEvent, StatusEventFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly services: ServicesOperatorService,
  ) {
    this.events = new OperatorList(dataSource, StatusEvent, {
      name: 'status-events',
      filters: { customerId: 'customerId', present: () => ['t.endsAt is null or t.endsAt > app.now()'] },
      orders: { created_at: { by: 't.createdAt', kind: 'time' }, starts_at: { by: 't.startsAt', kind: 'time' } },
      listed: '-starts_at',
    });
  }

  /** Announces an event, from now or from a given time. @throws ServiceError not_found, invalid_request */
  async post(actor: string, { customerId: meant, ...event }: NewStatusEvent): Promise<StatusEvent> {
    const { serviceId, status, message, startsAt } = event;
    requireText(message, 'The message', { min: 1, max: STATUS_MESSAGE_MAX });
    const { customerId } = await this.services.find(serviceId);
    if (meant !== undefined && meant !== customerId)
      throw new ServiceError('invalid_request', `Service ${serviceId} is of another customer`);
    const id = randomUUID();
    return this.dataSource.transaction(async (manager) => {
      const begins = startsAt ?? (() => 'app.now()');
      await manager.insert(StatusEvent, { customerId, id, serviceId, status, message, startsAt: begins });
      const metadata = { event_id: id, service_id: serviceId, status, message };
      await this.audit.record(manager, { customerId, actor, action: 'status.post', metadata });
      await announceBegun(manager, [customerId]);
      return manager.findOneByOrFail(StatusEvent, { customerId, id });
    });
  }

  /** Events of one customer or of all, newest first. */
  list(filter: StatusEventFilter, listing: ListingRequest): Promise<Listing<StatusEvent>> {
    return this.events.list(filter, listing);
  }

  /** A page of the events of one customer or of all; with the number of all. */
  inbox(filter: StatusEventFilter, request: InboxRequest): Promise<InboxPage<StatusEvent>> {
    return this.events.inbox(filter, request);
  }

  /** How many events of all customers have not ended, counted to {@link MOST_COUNTED}. */
  async present(): Promise<number> {
    const [{ count }] = await this.dataSource.query<[{ count: number }]>(
      `select least(${MOST_COUNTED}, (select count(*) from (select 1 from status_event where ends_at is null limit ${MOST_COUNTED}) endless)
         + (select count(*) from (select 1 from status_event where ends_at > app.now() limit ${MOST_COUNTED}) ending))::int as count`,
    );
    return count;
  }

  /** Ends an event now. @throws ServiceError not_found; invalid_request if it has ended already */
  end(actor: string, id: string): Promise<StatusEvent> {
    return this.dataSource.transaction(async (manager) => {
      const found = await manager.findOneBy(StatusEvent, { id });
      if (!found) throw new ServiceError('not_found', `There is no status event ${id}`);
      const { customerId } = found;
      // Meanwhile its begin may be told, or another person end it.
      const lock = { mode: 'for_no_key_update' } as const;
      const event = await manager.findOneOrFail(StatusEvent, { where: { customerId, id }, lock });
      const now = await databaseNow(manager);
      if (event.endsAt && event.endsAt <= now) throw new ServiceError('invalid_request', 'The event has ended already');
      // An event that has not begun is cancelled: it ends at its start time, which has microseconds.
      await manager.update(StatusEvent, { customerId, id }, { endsAt: () => 'greatest(starts_at, app.now())' });
      const metadata = { event_id: id, service_id: event.serviceId, status: event.status, message: event.message };
      await this.audit.record(manager, { customerId, actor, action: 'status.end', metadata });
      // The end of what was not told of is no news. Of one that was, customers learn it although the clock says that it has not begun.
      if (event.beginTold) await announceEnded(manager, [event]);
      return manager.findOneByOrFail(StatusEvent, { customerId, id });
    });
  }
}
