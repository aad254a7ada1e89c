import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile, partitionByMonth, secureCustomerTable } from '@platform/database';

const SQL = join(__dirname, '..', 'sql');

/**
 * Endpoints of customers and of the operator, and the deliveries of events to them. Those of the operator belong to the customer with
 * the nil UUID, which no token names.
 */
export class WebhooksSchema1763683201700 extends ForwardMigration {
  override readonly tables = ['webhook_endpoint', 'webhook_delivery'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(SQL, 'webhook-endpoints.sql'),
      functions: {
        webhook_host: {},
        create_webhook_endpoint: {},
        change_webhook_endpoint: {},
        delete_webhook_endpoint: {},
        rotate_webhook_secret: {},
      },
    },
    {
      path: join(SQL, 'deliveries.sql'),
      functions: {
        queue_webhook_run: { roles: ['account_operator'] },
        make_deliveries: { roles: ['account_operator'] },
        miss_endpoint_deliveries: {},
        miss_webhook_deliveries: { roles: ['account_operator'] },
        record_webhook_attempts: { roles: ['account_operator'] },
        test_webhook_endpoint: {},
        redeliver_webhook: {},
        redeliver_webhooks_since: {},
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    // No foreign key to customer: the operator's endpoints have none.
    await runner.query(`
      create table webhook_endpoint (
        customer_id uuid not null,
        id uuid not null,
        url text not null,
        event_types text[],
        description text,
        scopes text[],
        secret_ciphertext bytea not null,
        former_secret_ciphertext bytea,
        former_secret_until timestamptz,
        failing_since timestamptz,
        queue_full boolean not null default false,
        disabled_at timestamptz,
        disabled_reason text,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        constraint webhook_endpoint_pk primary key (customer_id, id),
        constraint webhook_endpoint_former_check check ((former_secret_ciphertext is null) = (former_secret_until is null)),
        constraint webhook_endpoint_disabled_check check (
          (disabled_at is null) = (disabled_reason is null) and disabled_reason in ('owner', 'operator', 'gone', 'failing'))
      )`);
    await runner.query(
      `create index webhook_endpoint_newest_idx on webhook_endpoint (customer_id, created_at desc, id desc)`,
    );
    await secureCustomerTable(runner, 'webhook_endpoint', { apiMay: 'select, insert, update, delete' });

    await runner.query(`
      create table webhook_delivery (
        customer_id uuid not null,
        id uuid not null,
        endpoint_id uuid not null,
        event_customer_id uuid not null,
        event_id uuid not null,
        event_type text not null,
        bytes integer not null default 0,
        state text not null default 'pending',
        attempts integer not null default 0,
        queued_at timestamptz not null,
        next_attempt_at timestamptz,
        last_attempt_at timestamptz,
        last_status integer,
        last_error text,
        delivered_at timestamptz,
        created_at timestamptz not null,
        constraint webhook_delivery_pk primary key (customer_id, id),
        constraint webhook_delivery_state_check check (state in ('pending', 'delivered', 'failed', 'missed'))
      ) partition by range (id)`);
    await runner.query(
      `create index webhook_delivery_endpoint_idx on webhook_delivery (customer_id, endpoint_id, id desc)`,
    );
    await runner.query(
      `create index webhook_delivery_state_idx on webhook_delivery (customer_id, state, id desc) where state <> 'delivered'`,
    );
    // Of an endpoint, in the order in which they are sent; and of all.
    await runner.query(
      `create index webhook_delivery_due_idx on webhook_delivery (customer_id, endpoint_id, next_attempt_at, id)
        where state = 'pending'`,
    );
    await runner.query(
      `create index webhook_delivery_next_idx on webhook_delivery (next_attempt_at) include (customer_id, endpoint_id, bytes)
        where state = 'pending'`,
    );
    await runner.query(
      `create index webhook_delivery_test_idx on webhook_delivery (customer_id, id) where event_type = 'webhook.test'`,
    );
    await secureCustomerTable(runner, 'webhook_delivery', {
      apiMay: 'select, insert, update (state, attempts, queued_at, next_attempt_at)',
    });
    await partitionByMonth(runner, 'webhook_delivery');
  }
}
