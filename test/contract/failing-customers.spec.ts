import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { AiMaintenanceService, AiOperatorModule, LedgerRetentionService } from '@domains/ai';
import { EventsOperatorModule, ExpiringTokensService, WebhookQueueService } from '@domains/events';
import { BegunStatusEventsService, StatusOperatorModule } from '@domains/status';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { IdempotencyMaintenanceService, IdempotencyOperatorModule } from '@platform/idempotency';
import type { Job } from '@platform/jobs';
import { PLAIN_PRICE, saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { describeOnOneServer } from '@test/kinds-of-server';
import { databaseHasServed } from '@test/served-time';
import { useTestDatabase } from '@test/use-test-database';
import { WebhookJobs } from '../../apps/worker/src/webhook-jobs';

const database = useTestDatabase();

/** The worker goes through customers in the order of their ids. Here the first one's rows cannot be changed. */
describeOnOneServer('A customer for whom a job fails holds up no other:', 'it refuses the triggers that fail', () => {
  let worker: TestingModule;
  let model: string;
  beforeAll(async () => {
    const imports = [AiOperatorModule, EventsOperatorModule, IdempotencyOperatorModule, StatusOperatorModule];
    worker = await Test.createTestingModule({
      imports: [ConfigModule.for(database.config), DatabaseModule.as('account_operator'), ...imports],
    }).compile();
    model = await saveModelPrice(database.superuser, PLAIN_PRICE);
  });
  afterAll(() => worker.close());

  const sql = async (text: string, values: unknown[] = []) => (await database.superuser.query(text, values)).rows;
  const service = async (customerId: string) => (await saveFakeService(database.superuser, customerId)).id;

  /** Something waits for an endpoint of a customer, which has the customer's id. */
  const waiting = async (id: string, count = 1) => {
    await sql(
      `insert into webhook_endpoint (customer_id, id, url, secret_ciphertext, queue_full, created_at, updated_at)
       values ($1, $1, 'https://receiver.example', '', true, now(), now())`,
      [id],
    );
    await sql(
      `insert into webhook_delivery (customer_id, id, endpoint_id, event_customer_id, event_id, event_type, queued_at, next_attempt_at, created_at)
       select $1::uuid, app.new_id(), $1::uuid, $1::uuid, $1::uuid, 'sms.failed', now(), now(), now() from generate_series(1, $2)`,
      [id, count],
    );
  };
  const deactivate = (id: string) => sql('update customer set active = false where id = $1', [id]);
  const shutOut = async (id: string) => {
    await waiting(id);
    await deactivate(id);
  };
  const measureQueues = async () => {
    const jobs = new Map<string, Job>();
    const due = new WebhookQueueService(worker.get(DataSource), database.config);
    const runner = { register: (job: Job) => jobs.set(job.name, job) };
    new WebhookJobs(
      runner as never,
      { register: () => undefined } as never,
      {} as never,
      due,
      database.config,
    ).onModuleInit();
    await jobs.get('webhooks.measure-queues')?.run(new AbortController().signal);
  };

  it.each([
    {
      job: 'what waits for deactivated customers is missed',
      table: 'webhook_delivery',
      arrange: shutOut,
      run: measureQueues,
      left: `select customer_id as id from webhook_delivery where state = 'pending'`,
    },
    {
      job: 'Idempotency-Keys are completed',
      table: 'idempotency_key',
      arrange: async (id: string) => {
        await databaseHasServed(database.superuser);
        await sql(
          `insert into idempotency_key (customer_id, key_hash, fingerprint, deadline, created_at) values ($1, '\\x00', '\\x00', now() - interval '1 minute', now())`,
          [id],
        );
      },
      run: () => worker.get(IdempotencyMaintenanceService).giveUpOverdue(),
      left: `select customer_id as id from idempotency_key where state = 'in_progress'`,
    },
    {
      job: 'expired Idempotency-Keys are purged',
      table: 'idempotency_key',
      arrange: (id: string) =>
        sql(
          `insert into idempotency_key (customer_id, key_hash, fingerprint, state, created_at) values ($1, '\\x01', '\\x00', 'done', now() - interval '3 days')`,
          [id],
        ),
      run: () => worker.get(IdempotencyMaintenanceService).purgeExpired(),
      left: `select customer_id as id from idempotency_key where key_hash = '\\x01'`,
    },
    {
      job: 'status events that begin are told',
      table: 'status_event',
      arrange: async (id: string) =>
        sql(
          `insert into status_event (customer_id, id, service_id, status, message, starts_at, begin_told)
           values ($1, gen_random_uuid(), $2, 'outage', 'Down', now() - interval '1 minute', false)`,
          [id, await service(id)],
        ),
      run: () => worker.get(BegunStatusEventsService).announce(),
      left: 'select customer_id as id from status_event where not begin_told',
    },
    {
      job: 'tokens that expire soon are told',
      table: 'service_token',
      arrange: async (id: string) => {
        const token = await saveFakeToken(database.superuser, id, { expiresAt: new Date(Date.now() + 5 * 86_400_000) });
        await sql(`update service_token set created_at = now() - interval '30 days' where id = $1`, [token.id]);
      },
      run: () => worker.get(ExpiringTokensService).announce(),
      left: 'select customer_id as id from service_token where expiry_told_days is null',
    },
    {
      job: 'AI accounts are rolled over',
      table: 'ai_account',
      arrange: (id: string) => sql(`update ai_account set month = '2020-01' where customer_id = $1`, [id]),
      run: () => worker.get(AiMaintenanceService).rollMonthsOver(),
      left: `select customer_id as id from ai_account where month = '2020-01'`,
    },
    {
      job: 'ledgers are carried forward',
      table: 'ai_ledger_carried',
      arrange: (id: string) => sql('delete from ai_ledger_carried where customer_id = $1', [id]),
      run: () => worker.get(LedgerRetentionService).carryForward(new Date('2020-01-01T00:00:00Z')),
      left: 'select customer_id as id from ai_account a where not exists (select from ai_ledger_carried c where c.customer_id = a.customer_id)',
    },
  ])('$job', async ({ table, arrange, run, left }) => {
    const customers: string[] = [];
    for (let count = 0; count < 3; count++) customers.push(await saveAiCustomer(database.superuser, { model }));
    for (const id of customers) await arrange(id);
    const [first = ''] = customers.sort();
    const refused = await refuseChanges(table, first);
    await expect(run()).rejects.toThrow(AggregateError);
    const ids = (await sql(left)) as { id: string }[];
    expect(customers.filter((customer) => ids.some(({ id }) => id === customer))).toEqual([first]);
    await refused.lift();
    await run();
    expect(await sql(left)).toEqual([]);
  });

  it('the queues of others are measured though what waits for a deactivated one cannot be missed', async () => {
    const [shut, full] = [
      await saveAiCustomer(database.superuser, { model }),
      await saveAiCustomer(database.superuser, { model }),
    ];
    await shutOut(shut);
    await waiting(full);
    const refused = await refuseChanges('webhook_delivery', shut);
    await expect(measureQueues()).rejects.toThrow(AggregateError);
    expect(await sql('select queue_full from webhook_endpoint where id = $1', [full])).toEqual([{ queue_full: false }]);
    await refused.lift();
  });

  describe('much that waits for an endpoint is missed in portions, each by itself, when', () => {
    const MUCH = 10_001;
    const states = async (id: string) =>
      Object.fromEntries(
        (
          await sql('select state, count(*)::int as n from webhook_delivery where customer_id = $1 group by 1', [id])
        ).map(({ state, n }: { state: string; n: number }) => [state, n]),
      );
    const portion = async (id: string) =>
      (await sql('select app.miss_webhook_deliveries($1, $1) as missed', [id])) as { missed: number }[];

    it.each([
      { stop: 'its customer is deactivated', by: deactivate, atOnce: {} },
      {
        stop: 'it is disabled',
        by: (id: string) =>
          sql(`select app.change_webhook_endpoint($1, $1, null, null, null, null, 'no', 'owner', 'spec')`, [id]),
        atOnce: { missed: 5000 },
      },
      {
        stop: 'it is deleted',
        by: (id: string) => sql(`select app.delete_webhook_endpoint($1, $1, 'spec')`, [id]),
        atOnce: { missed: 5000 },
      },
      {
        stop: 'it answers that it is gone',
        by: (id: string) =>
          sql(
            `select app.record_webhook_attempts($1, $1, 'https://receiver.example', '{}', '{}', '{}', '{}', '{}', '{}', false, true)`,
            [id],
          ),
        atOnce: { missed: 5000 },
      },
    ])('$stop', async ({ by, atOnce }) => {
      const customer = await saveAiCustomer(database.superuser, { model });
      await waiting(customer, MUCH);
      expect(await portion(customer)).toEqual([{ missed: 0 }]);
      await by(customer);
      const { missed = 0 } = atOnce;
      expect(await states(customer)).toEqual({ ...atOnce, pending: MUCH - missed });
      expect(await portion(customer)).toEqual([{ missed: 5000 }]);
      await measureQueues();
      expect(await states(customer)).toEqual({ missed: MUCH });
    });
  });

  /** Has the database refuse new and changed rows of a customer, and their deletion. */
  async function refuseChanges(table: string, customerId: string): Promise<{ lift(): Promise<void> }> {
    const name = `refused_${randomUUID().replaceAll('-', '')}`;
    await sql(
      `create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'refused' using errcode = 'P0001'; end $$`,
    );
    await sql(
      `create trigger ${name} before insert or update on ${table} for each row when (new.customer_id = '${customerId}') execute function ${name}()`,
    );
    await sql(
      `create trigger ${name}_delete before delete on ${table} for each row when (old.customer_id = '${customerId}') execute function ${name}()`,
    );
    return { lift: async () => void (await sql(`drop function ${name} cascade`)) };
  }
});
