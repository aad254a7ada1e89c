import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import {
  ForwardMigration,
  type FunctionAccess,
  type FunctionFile,
  partitionByMonth,
  secureCustomerTable,
} from '@platform/database';

const SQL = join(__dirname, '..', 'sql');

/** Done for the API by the operator's role: the API's own has no right to write the rows that it changes. */
const FOR_THE_API: FunctionAccess = { asOperator: true };

/** The event log. */
export class EventsSchema1763683201600 extends ForwardMigration {
  override readonly tables = ['event', 'event_position'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(SQL, 'events.sql'),
      functions: {
        record_event: {},
        record_operator_event: {},
        forget_event_records: { roles: ['account_operator'] },
        sequence_events: FOR_THE_API,
        customers_with_events: FOR_THE_API,
      },
    },
    {
      path: join(SQL, 'expiring-tokens.sql'),
      functions: { announce_expiring_tokens: { roles: ['account_operator'] } },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    // Without a key to the customer: what concerns no customer has the nil UUID, and partitioned tables have no foreign keys.
    await runner.query(`
      create table event (
        customer_id uuid not null,
        id uuid not null,
        type text not null,
        reference json not null,
        record json,
        operator_only boolean not null default false,
        position bigint,
        created_at timestamptz not null,
        constraint event_pk primary key (customer_id, id)
      ) partition by range (id)`);
    // Not unique, as it lacks the partition key: the lock of event_position gives each position once.
    await runner.query(`create index event_position_idx on event (customer_id, position)`);
    await runner.query(`create index event_unsequenced_idx on event (customer_id, id) where position is null`);
    await secureCustomerTable(runner, 'event', { apiMay: 'select, insert' });
    await partitionByMonth(runner, 'event');

    await runner.query(`
      create table event_position (
        customer_id uuid not null,
        last bigint not null default 0,
        constraint event_position_pk primary key (customer_id)
      )`);
    await secureCustomerTable(runner, 'event_position', { apiMay: 'select' });
  }
}
