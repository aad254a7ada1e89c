import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, KeysetList } from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { timeSql } from '@platform/time';
import type { StatusLevel } from '../entities/status-event.entity';

/** Maximum number of events per service: those in progress, then the newest. */
const EVENTS_SHOWN = 20;

/**
 * One statement reads services and their events in one snapshot. The status of a service is the worst level of its
 * events in progress, and operational if there are none.
 */
const QUERY = (after: string) => `
  select s.id, s.type, s.name, s.created_at, coalesce(w.worst, 'operational') as status,
    coalesce(e.events, '[]') as events
  from (select * from customer_service where customer_id = $1 ${after} order by created_at desc, id desc limit $2) s
  left join lateral (
    select status as worst from status_event
    where customer_id = $1 and service_id = s.id and starts_at <= app.now() and (ends_at is null or ends_at > app.now())
    order by array_position(array['outage', 'degraded', 'maintenance', 'operational'], status) limit 1
  ) w on true
  left join lateral (
    select json_agg(json_build_object('id', x.id, 'status', x.status, 'message', x.message, 'starts_at', ${timeSql('x.starts_at')},
      'ends_at', ${timeSql('x.ends_at')}, 'running', x.running) order by x.running desc, x.starts_at desc, x.id desc) as events
    from (
      select id, status, message, starts_at, ends_at, starts_at <= app.now() and (ends_at is null or ends_at > app.now()) as running
      from status_event where customer_id = $1 and service_id = s.id
      order by running desc, starts_at desc, id desc limit ${EVENTS_SHOWN}
    ) x
  ) e on true
  order by s.created_at desc, s.id desc`;

const LIST = new KeysetList<ServiceStatusRow>({ name: 'status.list', id: 'integer', query: QUERY });

/** The fields of an event that the customer sees. */
export interface StatusEventRow {
  id: string;
  status: StatusLevel;
  message: string;
  /** RFC 3339. */
  starts_at: string;
  ends_at: string | null;
  running: boolean;
}

/** A service with its current status and its events. */
export interface ServiceStatusRow {
  id: number;
  type: string;
  name: string;
  status: StatusLevel;
  events: StatusEventRow[];
  /** When the service was added. RFC 3339. */
  created_at: string;
}

/** The status of the customer's own services. */
@Injectable()
export class ServiceStatusService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /** A page of the customer's services with their status, newest service first. @throws ServiceError invalid_request */
  list(page: PageRequest): Promise<Page<ServiceStatusRow>> {
    return LIST.read(this.database, page);
  }
}
