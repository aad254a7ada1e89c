import type { QueryRunner } from 'typeorm';
import { ForwardMigration, secureCustomerTable } from '@platform/database';

/** The operator's announcements about a customer's service, each with start, end and level. */
export class StatusSchema1763683200400 extends ForwardMigration {
  override readonly tables = ['status_event'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table status_event (
        customer_id uuid not null,
        id uuid not null,
        service_id integer not null,
        announcement_id uuid,
        status text not null,
        message text not null,
        starts_at timestamptz not null,
        ends_at timestamptz,
        created_at timestamptz not null default now(),
        constraint status_event_pk primary key (customer_id, id),
        constraint status_event_service_fk foreign key (customer_id, service_id) references customer_service (customer_id, id),
        constraint status_event_status_check check (status in ('operational', 'maintenance', 'degraded', 'outage')),
        constraint status_event_period_check check (ends_at >= starts_at)
      )`);
    await runner.query(
      `create index status_event_service_idx on status_event (customer_id, service_id, starts_at desc, id desc)`,
    );
    await secureCustomerTable(runner, 'status_event', { apiMay: 'select' });
  }
}
