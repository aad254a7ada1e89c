import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  type EntityTable,
  type KeysetList,
  type ReadRow,
} from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { CustomerServiceEntity } from '@domains/services';
import { StatusEvent, type StatusLevel } from '../entities/status-event.entity';

/** Maximum number of events per service: those in progress, then the newest. app.service_status_record has the same. */
export const EVENTS_SHOWN = 20;

const SERVICE = ['id', 'type', 'name', 'createdAt'] as const;
const EVENT = ['id', 'status', 'message', 'startsAt', 'endsAt'] as const;

/** The fields of an event that the customer sees. */
export type StatusEventRow = ReadRow<StatusEvent, (typeof EVENT)[number]> & { running: boolean };

/** A service with its current status and its events. */
export type ServiceStatusRow = ReadRow<CustomerServiceEntity, (typeof SERVICE)[number]> & {
  status: StatusLevel;
  events: StatusEventRow[];
};

/** The status of the customer's own services. */
@Injectable()
export class ServiceStatusService {
  private readonly services: KeysetList<ServiceStatusRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    const event = reads.table(StatusEvent, 'e');
    this.services = reads.list(CustomerServiceEntity, {
      name: 'status.list',
      select: SERVICE,
      extra: (service) => ({
        status: { sql: currentStatus(service, event), decode: (text: string) => text as StatusLevel },
        events: { sql: shownEvents(service, event), decode: decoders.json as (text: string) => StatusEventRow[] },
      }),
      filters: [{ name: 'status', sql: (service) => currentStatus(service, event), type: 'text', operator: '=' }],
    });
  }

  /**
   * A page of the customer's services with their status, newest service first. @param status only services whose current
   * status it is. @throws ServiceError invalid_request
   */
  list(page: PageRequest, status?: StatusLevel): Promise<Page<ServiceStatusRow>> {
    return this.database.page(this.services, page, [status]);
  }
}

/** The worst level of the service's events in progress, and operational if there are none. */
function currentStatus(service: EntityTable<CustomerServiceEntity>, event: EntityTable<StatusEvent>): string {
  const status = event.column('status');
  return `coalesce((
    select ${status} from ${event.from} where ${isOf(service, event)} and ${isRunning(event)}
    order by app.status_rank(${status}) desc limit 1), 'operational')`;
}

function shownEvents(service: EntityTable<CustomerServiceEntity>, event: EntityTable<StatusEvent>): string {
  const order = `running desc, ${event.column('startsAt')} desc, ${event.column('id')} desc`;
  return `(
    select coalesce(json_agg(shown.event order by shown.place), '[]') from (
      select ${event.json(EVENT, { running: 'r.running' })} as event, row_number() over (order by ${order}) as place
      from ${event.from}, lateral (select ${isRunning(event)} as running) r
      where ${isOf(service, event)} order by ${order} limit ${EVENTS_SHOWN}) shown)`;
}

function isOf(service: EntityTable<CustomerServiceEntity>, event: EntityTable<StatusEvent>): string {
  return `${event.column('customerId')} = $1 and ${event.column('serviceId')} = ${service.column('id')}`;
}

function isRunning(event: EntityTable<StatusEvent>): string {
  return `app.status_event_runs(${event.column('startsAt')}, ${event.column('endsAt')}, app.now())`;
}
