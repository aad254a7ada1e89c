import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionAccess, type FunctionFile, secureCustomerTable } from '@platform/database';

/** The API's role may not read the tables: before it knows the token, it knows no customer. */
const FOR_THE_API: FunctionAccess = { roles: ['customer_api'], asOperator: true };

/** Service tokens, their last use, and the functions through which the API accesses them. */
export class TokensSchema1763683200200 extends ForwardMigration {
  override readonly tables = ['service_token', 'service_token_use'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '../sql/service-tokens.sql'),
      functions: {
        authenticate: FOR_THE_API,
        token_refusal_reason: FOR_THE_API,
        token_refusal: FOR_THE_API,
        record_token_uses: FOR_THE_API,
        // The operator reads the same lists of calls.
        token_names: { asOperator: true },
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table service_token (
        id uuid not null,
        customer_id uuid not null,
        token_hash bytea not null,
        scopes text[] not null,
        name text,
        active boolean not null default true,
        deactivated_at timestamptz,
        expires_at timestamptz,
        rotated_from uuid,
        created_at timestamptz not null default now(),
        constraint service_token_pk primary key (id),
        constraint service_token_hash_key unique (token_hash),
        constraint service_token_customer_fk foreign key (customer_id) references customer (id),
        constraint service_token_rotated_from_fk foreign key (rotated_from) references service_token (id)
      )`);
    await runner.query(`create index service_token_customer_idx on service_token (customer_id, created_at)`);
    await runner.query(`create index service_token_rotated_from_idx on service_token (rotated_from)`);
    await secureCustomerTable(runner, 'service_token');

    await runner.query(`
      create table service_token_use (
        customer_id uuid not null,
        token_id uuid not null,
        last_used_at timestamptz not null,
        constraint service_token_use_pk primary key (customer_id, token_id),
        constraint service_token_use_token_fk foreign key (token_id) references service_token (id)
      )`);
    await runner.query(`create index service_token_use_token_idx on service_token_use (token_id)`);
    await secureCustomerTable(runner, 'service_token_use');
  }
}
