import type { QueryRunner } from 'typeorm';
import { ForwardMigration, secureCustomerTable } from '@platform/database';

/** The services that a customer has, each with a JSON config. */
export class ServicesSchema1763683200300 extends ForwardMigration {
  override readonly tables = ['customer_service'];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table customer_service (
        customer_id uuid not null,
        id integer not null generated always as identity,
        type text not null,
        name text not null,
        status text not null default 'active',
        config jsonb not null default '{}',
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        constraint customer_service_pk primary key (customer_id, id),
        constraint customer_service_customer_fk foreign key (customer_id) references customer (id),
        constraint customer_service_status_check check (status in ('pending', 'active', 'suspended', 'terminated')),
        constraint customer_service_config_check check (jsonb_typeof(config) = 'object')
      )`);
    await runner.query(
      `create index customer_service_newest_idx on customer_service (customer_id, created_at desc, id desc)`,
    );
    await runner.query(
      `create index customer_service_status_idx on customer_service (customer_id, status, created_at desc, id desc)`,
    );
    await secureCustomerTable(runner, 'customer_service', { apiMay: 'select' });
  }
}
