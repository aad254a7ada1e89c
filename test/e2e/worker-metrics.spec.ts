import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { statfs } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { NO_CUSTOMER } from '@platform/context';
import { WebhookQueueService } from '@domains/events';
import { InternalListenerService } from '@platform/internal-listener';
import { saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeBillingAccount } from '@test/factories/invoice.factory';
import { saveFakeDelivery, saveFakeEndpoint } from '@test/factories/webhook.factory';
import { type RawServer, startRawServer } from '@test/raw-server';
import { selfSigned } from '@test/self-signed';
import { useTestDatabase } from '@test/use-test-database';
import { WorkerModule } from '../../apps/worker/src/worker.module';

const database = useTestDatabase();
const DAY_S = 86_400;

describe("the worker's metrics", () => {
  let worker: INestApplicationContext;
  let shown: RawServer;
  // Without a billing source's key nothing is synced, and the rows stay as they are.
  beforeAll(async () => {
    shown = await startRawServer(selfSigned('127.0.0.1', 10 * DAY_S * 1000));
    const config = Object.assign(database.config, { PUBLIC_URL: shown.url });
    worker = await NestFactory.createApplicationContext(WorkerModule.with(config), { logger: false });
  });
  afterAll(async () => {
    await worker.close();
    await shown.close();
  });

  const sql = (text: string, values: unknown[] = []) => database.superuser.query(text, values);

  async function scrape(): Promise<(series: string) => number | undefined> {
    const { port } = worker.get(InternalListenerService).server.server.address() as AddressInfo;
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const found = new Map(
      [...text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
    return (series) => found.get(series);
  }

  /** Links a customer to an account of Stripe whose sync is in this state. */
  async function link({ failures = 0, succeeded = 'null', due = "now() + interval '1 hour'", linked = 'now()' }) {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveFakeBillingAccount(database.superuser, id, 'stripe', id);
    await sql(`update billing_account set created_at = ${linked} where customer_id = $1`, [id]);
    await sql(
      `insert into invoice_sync (customer_id, source, failures, succeeded_at, due_at)
       values ($1, 'stripe', $2, ${succeeded}, ${due})
       on conflict (customer_id, source) do update set
         failures = excluded.failures, succeeded_at = excluded.succeeded_at, due_at = excluded.due_at`,
      [id, failures],
    );
    return id;
  }

  it('tell of the invoice syncs by their source', async () => {
    await link({ succeeded: `now() - interval '10 minutes'` });
    await link({ failures: 3, succeeded: `now() - interval '30 minutes'` });
    let read = await scrape();
    expect(read('invoice_sync_accounts{source="stripe"}')).toBe(2);
    expect(read('invoice_sync_failing_accounts{source="stripe"}')).toBe(1);
    expect(read('invoice_sync_oldest_success_seconds{source="stripe"}')).toBeGreaterThanOrEqual(1800);
    expect(read('invoice_sync_oldest_success_seconds{source="stripe"}')).toBeLessThan(2400);
    expect(read('invoice_sync_overdue_seconds{source="stripe"}')).toBe(0);
    expect(read('invoice_sync_problems{source="stripe"}')).toBe(0);
    expect(read('invoice_sync_accounts{source="fiken"}')).toBeUndefined();

    // One that never succeeded counts from when it was linked.
    const id = await link({ linked: `now() - interval '2 hours'`, due: `now() - interval '5 minutes'` });
    await link({ due: `now() - interval '1 minute'` });
    await sql(
      `insert into invoice_sync_problem (customer_id, source, source_id, detail)
       values ($1, 'stripe', 'in_1', 'odd'), ($1, 'stripe', 'in_2', 'odd')`,
      [id],
    );
    read = await scrape();
    expect(read('invoice_sync_accounts{source="stripe"}')).toBe(4);
    expect(read('invoice_sync_oldest_success_seconds{source="stripe"}')).toBeGreaterThanOrEqual(7200);
    expect(read('invoice_sync_overdue_seconds{source="stripe"}')).toBeGreaterThanOrEqual(300);
    expect(read('invoice_sync_overdue_seconds{source="stripe"}')).toBeLessThan(900);
    expect(read('invoice_sync_problems{source="stripe"}')).toBe(2);

    await sql(`delete from billing_account where source = 'stripe'`);
    expect((await scrape())('invoice_sync_accounts{source="stripe"}')).toBeUndefined();
  });

  it('tell of the newest backup of each kind, of the schedule, of the disk and of the certificate; of none they have no value', async () => {
    const gauges = ['age_seconds', 'bytes', 'disk_free_bytes'].map((name) => `backup_${name}`);
    const of = async (kind: string) => {
      const read = await scrape();
      const [age, ...sizes] = gauges.map((name) => read(`${name}{kind="${kind}"}`));
      const hours = (seconds: number | undefined) => seconds && Math.round((seconds / 3600) * 10) / 10;
      return [hours(age), ...sizes, hours(read('backup_scheduled_age_seconds'))];
    };
    const note = (kind: string, bytes: number, free: number, hours: number, scheduled = false) =>
      sql(
        `insert into backup (kind, bytes, free_bytes, scheduled, completed_at) values ($1, $2, $3, $4, now() - $5 * interval '1 hour')`,
        [kind, bytes, free, scheduled, hours],
      );
    expect(await of('dump')).toEqual([undefined, undefined, undefined, undefined]);
    await note('dump', 300, 5000, 30, true);
    await note('base', 7, 8, 3);
    await note('dump', 400, 4000, 2);
    expect(await of('dump')).toEqual([2, 400, 4000, 30]);
    expect(await of('base')).toEqual([3, 7, 8, 30]);

    const read = await scrape();
    const { blocks, bsize } = await statfs('/');
    expect(read('disk_size_bytes')).toBe(blocks * bsize);
    expect(read('disk_free_bytes')).toBeGreaterThan(0);
    expect(read('disk_free_bytes')).toBeLessThan(blocks * bsize);
    expect(read('certificate_ends_seconds')).toBeGreaterThan(10 * DAY_S - 600);
    expect(read('certificate_ends_seconds')).toBeLessThanOrEqual(10 * DAY_S);
  });

  it('tell how many items of a queue are due, and how long the oldest has been', async () => {
    const QUEUE = 'webhooks.deliver';
    // The worker does not fetch what is blocked.
    const put = (startAfter: string, state = 'created', queue = QUEUE) =>
      sql(
        `insert into pgboss.job (id, name, data, state, start_after, blocked)
         values (gen_random_uuid(), '${queue}', '{}', '${state}', ${startAfter}, true)`,
      );
    await put(`now() - interval '3 minutes'`);
    await put(`now() - interval '1 minute'`, 'retry');
    // Neither waits: one is not due, two have begun.
    await put(`now() + interval '1 hour'`);
    await put(`now() - interval '1 hour'`, 'active');
    await put(`now() - interval '1 hour'`, 'completed');
    // A later release had this queue, or the worker has it with another setting.
    await sql(`select pgboss.create_queue('test.unserved', '{"policy": "standard"}'::jsonb)`);
    await put(`now() - interval '1 hour'`, 'created', 'test.unserved');
    const read = await scrape();
    expect(read(`worker_queue_waiting{queue="${QUEUE}"}`)).toBe(2);
    expect(read(`worker_queue_oldest_seconds{queue="${QUEUE}"}`)).toBeGreaterThanOrEqual(180);
    expect(read(`worker_queue_oldest_seconds{queue="${QUEUE}"}`)).toBeLessThan(900);
    expect(read('worker_queue_waiting{queue="test.unserved"}')).toBeUndefined();
    await sql(`delete from pgboss.job where name in ('${QUEUE}', 'test.unserved')`);
    expect((await scrape())(`worker_queue_waiting{queue="${QUEUE}"}`)).toBeUndefined();
  });

  it('tell of the webhooks: what is due, the oldest that was not tried, and endpoints in use, failing and full', async () => {
    const [{ id: customer }, { id: inactive }] = [
      await saveFakeCustomer(database.superuser),
      await saveFakeCustomer(database.superuser, { active: false }),
    ];
    // Nobody knows their secrets: nothing is sent to them.
    const endpoint = (owner = customer) => saveFakeEndpoint(database.superuser, owner);
    const [usual, failing, disabled] = [await endpoint(), await endpoint(), await endpoint()];
    const [ofOperator, ofInactive] = [await endpoint(NO_CUSTOMER), await endpoint(inactive)];
    await sql('update webhook_endpoint set failing_since = now() where id = any ($1)', [
      [failing, disabled, ofOperator, ofInactive],
    ]);
    await sql(`update webhook_endpoint set disabled_at = now(), disabled_reason = 'gone' where id = $1`, [disabled]);
    const put = async (endpointId: string, due: string, attempts = 0, state = 'pending') => {
      const { deliveryId } = await saveFakeDelivery(database.superuser, customer, { endpointId, state });
      await sql(`update webhook_delivery set next_attempt_at = ${due}, attempts = $2 where id = $1`, [
        deliveryId,
        attempts,
      ]);
      return deliveryId;
    };
    const untried = await put(usual, `now() - interval '3 minutes'`);
    await put(usual, `now() - interval '1 hour'`, 2);
    await put(failing, `now() - interval '1 hour'`);
    // Neither is due: it is later, it was given up, or its endpoint gets nothing.
    await put(usual, `now() + interval '1 hour'`);
    await put(usual, 'null', 12, 'failed');
    await put(disabled, `now() - interval '1 hour'`);
    let read = await scrape();
    expect(read('webhook_deliveries_due')).toBe(3);
    expect(read('webhook_oldest_untried_seconds')).toBeGreaterThanOrEqual(180);
    expect(read('webhook_oldest_untried_seconds')).toBeLessThan(900);
    expect(read('webhook_endpoints')).toBe(3);
    expect(read('webhook_failing_endpoints')).toBe(2);
    expect(read('webhook_full_endpoints')).toBe(0);
    await sql('update webhook_delivery set bytes = $2 where id = $1', [untried, database.config.WEBHOOK_QUEUE_BYTES]);
    await worker.get(WebhookQueueService).markFull();
    read = await scrape();
    expect(read('webhook_full_endpoints')).toBe(2);
    // It waits in a long queue of which a worker sends one after the other.
    await sql(
      `select app.record_webhook_attempts($1, $2, 'https://hooks.example.com/', array[$3]::uuid[], '{now}', '{200}', '{null}', '{t}', '{5}', true, false)`,
      [customer, usual, await put(usual, `now() - interval '2 minutes'`)],
    );
    expect((await scrape())('webhook_oldest_untried_seconds')).toBeLessThan(60);
    await sql(`update webhook_endpoint set last_attempt_at = now() - interval '2 minutes' where id = $1`, [usual]);
    read = await scrape();
    expect(read('webhook_oldest_untried_seconds')).toBeGreaterThanOrEqual(120);
    expect(read('webhook_oldest_untried_seconds')).toBeLessThan(180);
    // An attempt while the database's clock was ahead says nothing.
    await sql(`update webhook_endpoint set last_attempt_at = now() + interval '1 day' where id = $1`, [usual]);
    expect((await scrape())('webhook_oldest_untried_seconds')).toBeGreaterThanOrEqual(180);
    await sql('delete from webhook_endpoint');
    read = await scrape();
    expect(read('webhook_oldest_untried_seconds')).toBe(0);
  });

  it('count AI calls with an unknown outcome for a day, and accounts without free credit', async () => {
    const model = await saveModelPrice(database.superuser);
    const [poor, rich] = [
      await saveAiCustomer(database.superuser, { model, included: 0 }),
      await saveAiCustomer(database.superuser, { model, included: 5 }),
      // Included credit beyond the limit of the month is not free.
      await saveAiCustomer(database.superuser, { model, included: 5, monthlyLimit: 0 }),
    ];
    const before = await scrape();
    expect(before('ai_exhausted_accounts')).toBe(2);
    expect(before('ai_unknown_outcomes')).toBe(0);
    const unknown = (customer: string, resolved: string) =>
      sql(
        `insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline,
           month, request_id, created_at, state, resolved_at)
         select $1, app.new_id(), 1, m.model, m.valid_from, 1, 1, ${resolved}, to_char(now(), 'YYYY-MM'), 'r', ${resolved},
           'outcome_unknown', ${resolved} from ai_model_price m where m.model = $2`,
        [customer, model],
      );
    await unknown(poor, `now() - interval '23 hours'`);
    await unknown(rich, `now() - interval '25 hours'`);
    // Reserved credit is not free.
    await sql('update ai_account set reserved = 5 where customer_id = $1', [rich]);
    const after = await scrape();
    expect(after('ai_unknown_outcomes')).toBe(1);
    expect(after('ai_exhausted_accounts')).toBe(3);
  });
});
