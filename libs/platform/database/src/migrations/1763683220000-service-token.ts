import type { MigrationInterface, QueryRunner } from 'typeorm';
import { distribute, replicate, secureCustomerTable } from './helpers';

/** Service tokens, when each was last used, and the two functions through which the API reaches them. */
export class ServiceToken1763683220000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table service_token (
        id uuid not null,
        customer_id uuid not null,
        token_hash bytea not null,
        scopes text[] not null,
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
    await replicate(runner, 'service_token');
    await secureCustomerTable(runner, 'service_token', {});

    await runner.query(`
      create table service_token_use (
        customer_id uuid not null,
        token_id uuid not null,
        last_used_at timestamptz not null,
        constraint service_token_use_pk primary key (customer_id, token_id),
        constraint service_token_use_token_fk foreign key (token_id) references service_token (id)
      )`);
    await runner.query(`create index service_token_use_token_idx on service_token_use (token_id)`);
    await distribute(runner, 'service_token_use');
    await secureCustomerTable(runner, 'service_token_use', {});

    // The API knows no customer before it knows the token, so it may not read the table: it may ask about one hash.
    await runner.query(`
      create function app.authenticate(hash bytea) returns table (
        token_id uuid, customer_id uuid, scopes text[], expires_at timestamptz,
        requests_per_minute integer, ai_per_minute integer, sms_per_minute integer)
      language sql stable security definer set search_path = pg_catalog, public as $$
        select t.id, t.customer_id, t.scopes, t.expires_at, c.requests_per_minute, c.ai_per_minute, c.sms_per_minute
        from service_token t join customer c on c.id = t.customer_id
        where t.token_hash = hash and t.active and c.active and (t.expires_at is null or t.expires_at > now())
      $$`);
    await runner.query(`
      create function app.record_token_use(customers uuid[], tokens uuid[], used_at timestamptz[]) returns void
      language sql security definer set search_path = pg_catalog, public as $$
        insert into service_token_use as u (customer_id, token_id, last_used_at)
        select * from unnest(customers, tokens, used_at)
        on conflict (customer_id, token_id) do update set last_used_at = greatest(u.last_used_at, excluded.last_used_at)
      $$`);
    await runner.query(`grant create on schema app to account_operator`);
    for (const signature of ['app.authenticate(bytea)', 'app.record_token_use(uuid[], uuid[], timestamptz[])']) {
      await runner.query(`revoke all on function ${signature} from public`);
      await runner.query(`grant execute on function ${signature} to customer_api`);
      await runner.query(`alter function ${signature} owner to account_operator`);
    }
    await runner.query(`revoke create on schema app from account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function app.record_token_use(uuid[], uuid[], timestamptz[])`);
    await runner.query(`drop function app.authenticate(bytea)`);
    await runner.query(`drop table service_token_use`);
    await runner.query(`drop table service_token`);
  }
}
