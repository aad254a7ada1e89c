import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, secureCustomerTable } from '@platform/database';

/** Refused requests, and the function by which the API adds them. Those without a customer carry the nil UUID. */
export class RefusedRequests1763683201300 extends ForwardMigration {
  override readonly tables = ['refused_request'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '../sql/refused-requests.sql'),
      functions: { keep_refused_requests: { roles: ['customer_api'], asOperator: true } },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table refused_request (
        customer_id uuid not null,
        id uuid not null,
        request_id text not null,
        token_id uuid,
        fingerprint text,
        network text not null,
        method text not null,
        route text,
        status smallint not null,
        code text,
        detail text,
        upstream text,
        duration_ms integer not null,
        created_at timestamptz not null,
        constraint refused_request_pk primary key (customer_id, id)
      )`);
    await runner.query(`create index refused_request_newest_idx on refused_request (id desc)`);
    await runner.query(`create index refused_request_id_idx on refused_request (request_id)`);
    await secureCustomerTable(runner, 'refused_request');
  }
}
