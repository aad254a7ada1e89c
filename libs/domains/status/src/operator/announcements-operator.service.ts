import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { databaseNow } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import { announceBegun, announceEnded } from '../status-announcements';
import { STATUS_MESSAGE_MAX } from '../status-values';
import type { StatusLevel } from '../entities/status-event.entity';

/** An event of all services of a type. */
export interface NewAnnouncement {
  /** Type of the services, such as `hosting`. */
  type: string;
  status: StatusLevel;
  message: string;
  startsAt?: Date;
}

/** An event that was ended: told if its customer was told of its begin. */
interface EndedEvent {
  customerId: string;
  serviceId: number;
  message: string;
  told: boolean;
}

/** The id of an announcement, and the numbers of services and customers that it concerns. */
export interface Announced {
  announcementId: string;
  services: number;
  customers: number;
}

/** At the moment `$2`. */
const LASTS = '(ends_at is null or ends_at > $2::timestamptz)';

/** Announces and ends events of all services of a type at once: each gets an event of its own. Audited once. */
@Injectable()
export class AnnouncementsOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** Announces an event of all services of a type that are not terminated. @throws ServiceError not_found, invalid_request */
  post(actor: string, { type, status, message, startsAt }: NewAnnouncement): Promise<Announced> {
    requireText(message, 'The message', { min: 1, max: STATUS_MESSAGE_MAX });
    const announcementId = randomUUID();
    return this.dataSource.transaction(async (manager) => {
      const begins = startsAt ?? (await databaseNow(manager));
      const events = await manager.query<{ customer_id: string }[]>(
        `insert into status_event (customer_id, id, service_id, announcement_id, status, message, starts_at)
         select customer_id, gen_random_uuid(), id, $1::uuid, $2::text, $3::text, $4::timestamptz
         from customer_service where lower(type) = lower($5) and status <> 'terminated'
         returning customer_id`,
        [announcementId, status, message, begins, type],
      );
      if (events.length === 0) throw new ServiceError('not_found', `There is no service of the type ${type}`);
      const metadata = { announcement_id: announcementId, type, status, message, services: events.length };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'status.post', metadata });
      const customers = [...new Set(events.map(({ customer_id }) => customer_id))].sort();
      await announceBegun(manager, customers);
      return { announcementId, services: events.length, customers: customers.length };
    });
  }

  /** Ends the events of an announcement that have not ended. One that has not begun is cancelled. @throws ServiceError not_found */
  end(actor: string, announcementId: string): Promise<Announced> {
    return this.dataSource.transaction(async (manager) => {
      const now = await databaseNow(manager);
      const customers = await manager.query<{ customer_id: string }[]>(
        `select distinct customer_id from status_event where announcement_id = $1 and ${LASTS} order by customer_id`,
        [announcementId, now],
      );
      const ended: EndedEvent[] = [];
      for (const { customer_id } of customers)
        ended.push(...(await endEvents(manager, announcementId, now, customer_id)));
      const services = ended.length;
      if (services === 0) {
        throw new ServiceError('not_found', `There is no announcement ${announcementId} that has not ended`);
      }
      const metadata = { announcement_id: announcementId, message: ended[0]?.message, services };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'status.end', metadata });
      await announceEnded(
        manager,
        ended.filter(({ told }) => told),
      );
      return { announcementId, services, customers: new Set(ended.map(({ customerId }) => customerId)).size };
    });
  }
}

/** Ends a customer's events of an announcement. They are locked in the order in which the worker locks them to tell of their begins. */
async function endEvents(
  manager: EntityManager,
  announcementId: string,
  now: Date,
  customerId: string,
): Promise<EndedEvent[]> {
  const values = [announcementId, now, customerId];
  const which = `customer_id = $3 and announcement_id = $1 and ${LASTS}`;
  await manager.query(`select from status_event where ${which} order by starts_at, id for no key update`, values);
  const [ended] = await manager.query<[EndedEvent[], number]>(
    `update status_event set ends_at = greatest(starts_at, $2::timestamptz) where ${which}
     returning customer_id as "customerId", service_id as "serviceId", message, begin_told as told`,
    values,
  );
  return ended;
}
