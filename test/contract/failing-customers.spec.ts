import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import { AiMaintenanceService, AiOperatorModule, LedgerRetentionService } from '@domains/ai';
import { EventsOperatorModule, ExpiringTokensService } from '@domains/events';
import { BegunStatusEventsService, StatusOperatorModule } from '@domains/status';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { IdempotencyMaintenanceService, IdempotencyOperatorModule } from '@platform/idempotency';
import { PLAIN_PRICE, saveAiCustomer, saveModelPrice } from '@test/ai-factories';
import { saveFakeService } from '@test/factories/service.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { describeOnOneServer } from '@test/kinds-of-server';
import { useTestDatabase } from '@test/use-test-database';

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

  it.each([
    {
      job: 'Idempotency-Keys are completed',
      table: 'idempotency_key',
      arrange: (id: string) =>
        sql(
          `insert into idempotency_key (customer_id, key_hash, fingerprint, deadline, created_at) values ($1, '\\x00', '\\x00', now() - interval '1 minute', now())`,
          [id],
        ),
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
