import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionAccess, type FunctionFile, secureCustomerTable } from '@platform/database';

const ON_THE_CUSTOMERS_NODE: FunctionAccess = { delegated: { table: 'idempotency_key' } };

/** The keys under which customers send requests that are to have their effect once, and the replies to send again. */
export class IdempotencySchema1763683200550 extends ForwardMigration {
  override readonly tables = ['idempotency_key'];

  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'idempotency-keys.sql'),
      functions: {
        idempotency_key_lifetime: {},
        claim_idempotency_key: ON_THE_CUSTOMERS_NODE,
        idempotency_key_is_taken: {},
        complete_idempotency_key: ON_THE_CUSTOMERS_NODE,
        // For the ledger's batches over many customers.
        complete_idempotency_keys: { roles: ['account_operator'] },
        free_idempotency_key: ON_THE_CUSTOMERS_NODE,
        give_up_idempotency_keys: ON_THE_CUSTOMERS_NODE,
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    // A key in progress may have a reply already: the one that it is completed with if its process dies. Pages are filled by a
    // fifth when keys are claimed, so that the replies of an AI call's size find room in the same page: then no index changes.
    await runner.query(`
      create table idempotency_key (
        customer_id uuid not null,
        key_hash bytea not null,
        fingerprint bytea not null,
        state text not null default 'in_progress',
        effect_id uuid,
        deadline timestamptz,
        secrets_key text,
        reply bytea,
        created_at timestamptz not null,
        constraint idempotency_key_pk primary key (customer_id, key_hash),
        constraint idempotency_key_customer_fk foreign key (customer_id) references customer (id),
        constraint idempotency_key_state_check check (state in ('in_progress', 'done', 'free'))
      ) with (fillfactor = 20)`);
    // Replies are compressed and encrypted: PostgreSQL could not compress them further.
    await runner.query(`alter table idempotency_key alter column reply set storage external`);
    // The condition, always true, keeps it for statements that ask for an age. For one that looks a key up, an index that begins
    // with the customer seems as good as the primary key while the table is empty, and then reads all of the customer's keys.
    await runner.query(
      `create index idempotency_key_age_idx on idempotency_key (customer_id, created_at) where created_at is not null`,
    );
    await runner.query(
      `create index idempotency_key_overdue_idx on idempotency_key (customer_id, deadline) where deadline is not null`,
    );
    await secureCustomerTable(runner, 'idempotency_key', {
      apiMay: 'select, insert, update (fingerprint, state, effect_id, deadline, secrets_key, reply, created_at)',
    });
  }
}
