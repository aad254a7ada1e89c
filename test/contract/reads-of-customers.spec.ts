import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { EntityReadsService } from '@platform/database';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { itOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';
import { AppModule } from '../../apps/customer-api/src/app.module';

const CUSTOMERS = 3;
const ROWS = 10_000;

const database = useTestDatabase();

/** A node of a plan, as PostgreSQL explains it. */
interface PlanNode {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: PlanNode[];
}

describe('the reads of the customer API', () => {
  itOnOneServer(
    'walk no index of all customers, also where there are few: a customer without rows would wait for those of the others',
    'its nodes plan',
    async () => {
      const { superuser } = database;
      const customers: string[] = [];
      for (let count = 0; count < CUSTOMERS; count++) customers.push((await saveFakeCustomer(superuser)).id);
      await fill(customers);
      const shared = new Set(await indexesOfAllCustomers());
      expect(shared).toContain('support_ticket_inbox_idx');

      const app = (
        await Test.createTestingModule({ imports: [AppModule.with(database.config)] }).compile()
      ).createNestApplication(new FastifyAdapter(), { logger: false });
      const walks: string[] = [];
      await superuser.query('begin');
      await superuser.query('set local role customer_api');
      await superuser.query('set local enable_seqscan = off');
      await superuser.query('select app.set_customer($1)', [customers[0]]);
      for (const { name, text } of app.get(EntityReadsService).defined) {
        const { rows } = await superuser.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (generic_plan, format json) ${text}`,
        );
        for (const index of indexesOf(rows[0]?.['QUERY PLAN'][0].Plan)) {
          if (shared.has(index)) walks.push(`${name} walks ${index}`);
        }
      }
      await superuser.query('rollback');
      expect(walks).toEqual([]);
      await app.close();
    },
  );
});

/** Rows of the customers in turn, as they come in production, so that the newest of all are near each other on disk. */
async function fill(customers: readonly string[]): Promise<void> {
  const rows = `(select c.id as customer, n, now() - n * interval '1 minute' as at
    from generate_series(1, ${ROWS}) n, unnest($1::uuid[]) c(id)) r`;
  for (const statement of [
    `insert into support_ticket (customer_id, id, title, body, created_at)
     select customer, gen_random_uuid(), 'Ticket ' || n, 'Something is broken', at from ${rows}`,
    `insert into invoice (customer_id, id, source, source_id, number, status, currency, amount, amount_due, issue_date, created_at)
     select customer, gen_random_uuid(), 'stripe', 'in_' || n || customer, 'N-' || n, 'open', 'NOK', 100, 100, current_date, at from ${rows}`,
    `insert into sms_message (customer_id, id, recipient, sender_id, message, status, segments, encoding, gateway, created_at)
     select customer, app.first_id(at), '+4790000000', 'Acme', 'Ready', 'delivered', 1, 'GSM-7', '46elks', at from ${rows}`,
    `insert into event (customer_id, id, type, reference, record, created_at, position)
     select customer, app.first_id(at), 'sms.delivered', '{"id": 1}', '{"id": 1}', at, ${ROWS} - n from ${rows}`,
    `insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, state, queued_at, created_at)
     select customer, app.first_id(at), customer, customer, gen_random_uuid(), 'sms.delivered', 'delivered', at, at from ${rows}`,
    `insert into ai_credit_request (customer_id, amount_nok, status, created_at)
     select customer, 100, 'pending', at from ${rows}`,
    `insert into customer_service (customer_id, type, name, status, created_at)
     select customer, 'domain', 'Domain ' || n, 'active', at from ${rows}`,
    `insert into billing_account (customer_id, source, source_customer_id)
     select id, source, id from unnest($1::uuid[]) c(id), unnest('{stripe,fiken}'::text[]) source`,
    `insert into ai_usage_day select customer, current_date - n / 10, 'model-' || n % 10, customer, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0 from ${rows}`,
  ]) {
    await database.superuser.query(statement, [customers]);
  }
  await database.superuser.query('analyze');
}

/**
 * The names of all indexes on customers' rows that do not begin with the customer. Not those of tables without rows, where any is as
 * good as another, nor those on the ids of records, of which each is one row.
 */
async function indexesOfAllCustomers(): Promise<string[]> {
  const { rows } = await database.superuser.query<{ name: string }>(`
    select i.indexrelid::regclass::text as name from pg_index i join pg_class t on t.oid = i.indrelid
    where t.relkind = 'r' and t.reltuples > 0 and i.indexrelid <> all ('{ai_credit_request_id_idx,support_ticket_id_idx,invoice_id_idx}'::regclass[])
      and exists (select from pg_attribute a where a.attrelid = i.indrelid and a.attname = 'customer_id' and a.attnum <> i.indkey[0])`);
  return rows.map(({ name }) => name.replace(/^.*\./, ''));
}

/** The indexes that a plan walks without looking for the customer in them. */
function indexesOf(node: PlanNode | undefined): string[] {
  if (!node) return [];
  const { 'Index Name': name, 'Index Cond': condition = '', Plans: inner = [] } = node;
  const isWalked = name !== undefined && !condition.includes('(customer_id = ');
  return [...(isWalked ? [name] : []), ...inner.flatMap(indexesOf)];
}
