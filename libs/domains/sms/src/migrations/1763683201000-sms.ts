import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, partitionByMonth, secureCustomerTable } from '@platform/database';

/** A customer's permissions for SMS, the count of messages of each day, and the log of messages. */
export class SmsSchema1763683201000 extends ForwardMigration {
  override readonly tables = ['sms_settings', 'sms_daily_count', 'sms_message'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'sms.sql'),
      functions: {
        create_sms: {},
        record_sms_event: {},
        record_sms_outcome: {},
        give_up_sms: { roles: ['account_operator'] },
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table sms_settings (
        customer_id uuid not null,
        enabled boolean not null default false,
        sender_id text,
        daily_cap integer,
        daily_parts_cap integer,
        countries text[],
        updated_at timestamptz not null default now(),
        constraint sms_settings_pk primary key (customer_id),
        constraint sms_settings_customer_fk foreign key (customer_id) references customer (id),
        constraint sms_settings_sender_check check (sender_id is not null or not enabled),
        constraint sms_settings_cap_check check (daily_cap >= 0),
        constraint sms_settings_parts_cap_check check (daily_parts_cap >= 0)
      )`);
    await secureCustomerTable(runner, 'sms_settings', { apiMay: 'select' });

    await runner.query(`
      create table sms_daily_count (
        customer_id uuid not null,
        day date not null,
        messages integer not null,
        parts integer not null default 0,
        constraint sms_daily_count_pk primary key (customer_id, day),
        constraint sms_daily_count_customer_fk foreign key (customer_id) references customer (id)
      )`);
    await secureCustomerTable(runner, 'sms_daily_count', { apiMay: 'select, insert, update (messages, parts)' });

    await runner.query(`
      create table sms_message (
        customer_id uuid not null,
        id uuid not null,
        recipient text not null,
        sender_id text not null,
        message text not null,
        status text not null default 'unknown',
        segments smallint not null,
        encoding text not null,
        gateway text not null,
        gateway_message_id text,
        error_code text,
        delivered_at timestamptz,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint sms_message_pk primary key (customer_id, id),
        constraint sms_message_status_check check (status in ('unknown', 'accepted', 'sent', 'failed', 'delivered')),
        constraint sms_message_encoding_check check (encoding in ('GSM-7', 'UCS-2'))
      ) partition by range (id)`);
    await runner.query(`create index sms_message_status_idx on sms_message (customer_id, status, id desc)`);
    await secureCustomerTable(runner, 'sms_message', {
      apiMay: 'select, insert, update (status, gateway_message_id, error_code, delivered_at, updated_at)',
    });
    await partitionByMonth(runner, 'sms_message');
  }
}
