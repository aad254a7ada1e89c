import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, secureCustomerTable } from '@platform/database';

/** Support tickets and their threads. The API reads messages to the customer, and does the actions of a customer: open, reply, close. */
export class SupportSchema1763683200600 extends ForwardMigration {
  override readonly tables = ['support_ticket', 'support_ticket_reply'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'tickets.sql'),
      functions: {
        ticket_with_replies: {},
        ticket_record: {},
        record_ticket_event: {},
        open_support_ticket: {},
        reply_to_support_ticket: {},
        close_support_ticket: {},
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table support_ticket (
        customer_id uuid not null,
        id uuid not null,
        title text not null,
        body text not null,
        status text not null default 'open',
        priority text not null default 'normal',
        service_id integer,
        resource_type text,
        resource_id text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint support_ticket_pk primary key (customer_id, id),
        constraint support_ticket_customer_fk foreign key (customer_id) references customer (id),
        constraint support_ticket_service_fk foreign key (customer_id, service_id) references customer_service (customer_id, id),
        constraint support_ticket_status_check check (status in ('open', 'pending', 'resolved', 'closed')),
        constraint support_ticket_priority_check check (priority in ('low', 'normal', 'high', 'urgent'))
      )`);
    await runner.query(
      `create index support_ticket_newest_idx on support_ticket (customer_id, created_at desc, id desc)`,
    );
    await runner.query(
      `create index support_ticket_status_idx on support_ticket (customer_id, status, created_at desc, id desc)`,
    );
    await runner.query(
      `create index support_ticket_service_idx on support_ticket (customer_id, service_id) where service_id is not null`,
    );
    await secureCustomerTable(runner, 'support_ticket', { apiMay: 'select, insert, update (status, updated_at)' });

    await runner.query(`
      create table support_ticket_reply (
        customer_id uuid not null,
        id uuid not null,
        ticket_id uuid not null,
        author text not null,
        internal boolean not null default false,
        body text not null,
        created_at timestamptz not null default now(),
        constraint support_ticket_reply_pk primary key (customer_id, id),
        constraint support_ticket_reply_ticket_fk foreign key (customer_id, ticket_id) references support_ticket (customer_id, id),
        constraint support_ticket_reply_author_check check (author in ('customer', 'operator')),
        constraint support_ticket_reply_internal_check check (author = 'operator' or not internal)
      )`);
    await runner.query(
      `create index support_ticket_reply_thread_idx on support_ticket_reply (customer_id, ticket_id, created_at, id)`,
    );
    // The operator's notes among themselves do not exist for the API.
    await secureCustomerTable(runner, 'support_ticket_reply', { apiMay: 'select, insert', visible: 'not internal' });
  }
}
