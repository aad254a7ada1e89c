import { randomUUID } from 'node:crypto';
import { Test, type TestingModule } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { SmsOperatorModule } from '@domains/sms';
import { StatusOperatorModule } from '@domains/status';
import { SupportOperatorModule } from '@domains/support';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { type Job, JobRunnerService } from '@platform/jobs';
import { NestLogger } from '@platform/logging';
import { OperatorAccountsModule } from '@platform/operator-accounts';
import { RefusalsOperatorModule } from '@platform/refusals';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeService } from '@test/factories/service.factory';
import { connectAsSuperuser } from '@test/test-database';
import { until } from '@test/until';
import { useTestDatabase } from '@test/use-test-database';
import { RetentionJobs } from '../../apps/worker/src/retention-jobs';

const SETTINGS = { SMS_TEXT_RETENTION_DAYS: '30', TICKET_RETENTION_DAYS: '60', STATUS_EVENT_RETENTION_DAYS: '10' };
const OFF = { SMS_TEXT_RETENTION_DAYS: 0, TICKET_RETENTION_DAYS: 0, STATUS_EVENT_RETENTION_DAYS: 0 };
const database = useTestDatabase(SETTINGS);

describe('The job of the retention', () => {
  const open: TestingModule[] = [];
  afterEach(() => Promise.all(open.splice(0).map((module) => module.close())));

  /** The job in a worker with these settings. */
  async function jobWith(settings: object = {}): Promise<(signal?: AbortSignal) => Promise<void>> {
    let job: Job | undefined;
    const module = await Test.createTestingModule({
      imports: [
        ConfigModule.for({ ...database.config, ...settings }),
        DatabaseModule.as('account_operator'),
        SmsOperatorModule,
        StatusOperatorModule,
        SupportOperatorModule,
        RefusalsOperatorModule,
        OperatorAccountsModule,
      ],
      providers: [RetentionJobs],
    })
      .useMocker((token) => (token === JobRunnerService ? { register: (given: Job) => (job = given) } : undefined))
      .setLogger(new NestLogger(database.config))
      .compile();
    open.push(module);
    module.get(RetentionJobs).onModuleInit();
    return (signal = new AbortController().signal) => job!.run(signal);
  }

  const sql = async (text: string, values: unknown[]) => (await database.superuser.query(text, values)).rows;
  const saveSms = (customerId: string, count: number, age: string) =>
    sql(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway)
       select $1, (left(app.first_id(now() - $3::interval)::text, 18) || right(gen_random_uuid()::text, 18))::uuid,
         '+4790000000', 'A', 'A text', 1, 'GSM-7', 'g' from generate_series(1, $2)`,
      [customerId, count, age],
    );
  const texts = async (customerId: string) =>
    (await sql(`select count(*)::int as n from sms_message where customer_id = $1 and message <> ''`, [customerId]))[0]
      .n as number;
  const saveTicket = async (customerId: string, status: string, age: string) => {
    const id = randomUUID();
    await sql(
      `insert into support_ticket (customer_id, id, title, body, status, updated_at) values ($1, $2, 'T', 'B', $3, now() - $4::interval)`,
      [customerId, id, status, age],
    );
    await sql(
      `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, gen_random_uuid(), $2, 'customer', 'R')`,
      [customerId, id],
    );
    return id;
  };
  const tickets = async (customerId: string) =>
    (await sql('select id from support_ticket where customer_id = $1', [customerId])).map(({ id }) => id as string);

  it('blanks texts of SMS that are old enough, in batches, and goes on from there', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveSms(id, 1_100, '31 days');
    await saveSms(id, 3, '29 days');
    const run = await jobWith();
    await run(AbortSignal.abort());
    expect(await texts(id)).toBe(1_103);
    await run();
    expect(await texts(id)).toBe(3);
    expect(await sql('select count(*)::int as n from sms_message where customer_id = $1', [id])).toEqual([
      { n: 1_103 },
    ]);
    await saveSms(id, 2, '30 days 1 hour');
    await run();
    expect(await texts(id)).toBe(3);
  });

  it('goes on where a run was ended early with blanking texts of SMS', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveSms(id, 1_600, '31 days');
    const run = await jobWith();
    const portions: string[] = [];
    const abort = new AbortController();
    const dataSource = open.at(-1)!.get(DataSource);
    const query = dataSource.query.bind(dataSource);
    jest.spyOn(dataSource, 'query').mockImplementation((text: string, values?: unknown) => {
      const [customerId, , after] = Array.isArray(values) ? (values as [string, number, string]) : [];
      if (text.includes('set message') && customerId === id) portions.push(after!);
      if (portions.length === 2) abort.abort();
      return query(text, values as unknown[]);
    });
    await run(abort.signal);
    expect(await texts(id)).toBe(600);
    await run();
    expect(await texts(id)).toBe(0);
    const [first, second, third] = portions;
    expect(portions).toEqual([...portions].sort());
    expect([first, second].includes(third)).toBe(false);
  });

  it('purges nothing if a hundred years are kept', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveSms(id, 1, '31 days');
    await sql(
      `insert into refused_request (customer_id, id, request_id, network, method, status, duration_ms, created_at)
       values ($1, app.new_id(), 'r', 'n', 'GET', 404, 1, now())`,
      [id],
    );
    const run = await jobWith({ SMS_TEXT_RETENTION_DAYS: 36_500, REFUSAL_RETENTION_DAYS: 36_500 });
    await run();
    expect(await texts(id)).toBe(1);
    expect(await sql('delete from refused_request where customer_id = $1 returning id', [id])).toHaveLength(1);
  });

  it('deletes tickets that were closed long ago with their threads, and no open ones', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveTicket(id, 'closed', '61 days');
    const kept = [await saveTicket(id, 'closed', '59 days'), await saveTicket(id, 'resolved', '61 days')];
    await (
      await jobWith()
    )();
    expect((await tickets(id)).sort()).toEqual(kept.sort());
    expect(await sql('select count(*)::int as n from support_ticket_reply where customer_id = $1', [id])).toEqual([
      { n: 2 },
    ]);
  });

  it('deletes no ticket that is being opened again', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const ticket = await saveTicket(id, 'closed', '61 days');
    const operator = await connectAsSuperuser(database);
    await operator.query('begin');
    await operator.query(`update support_ticket set status = 'open', updated_at = now() where id = $1`, [ticket]);
    let ended = false;
    const run = (await jobWith())().finally(() => (ended = true));
    await until(async () => {
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return ended || (await sql(waiting, [])).length > 0;
    });
    await operator.query('commit');
    await operator.end();
    await run;
    expect(await tickets(id)).toEqual([ticket]);
  });

  it('goes on with the other kinds if one fails', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveTicket(id, 'closed', '61 days');
    const locker = await connectAsSuperuser(database);
    await locker.query('begin; lock table sms_message in access exclusive mode');
    const run = await jobWith({ DATABASE_STATEMENT_TIMEOUT_MS: 500 });
    await expect(run()).rejects.toThrow('Some rows could not be purged');
    await locker.query('rollback');
    await locker.end();
    expect(await tickets(id)).toEqual([]);
  });

  it('deletes status events that ended long ago, and none that last', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    const service = await saveFakeService(database.superuser, id);
    for (const [start, end] of [
      ['20 days', '11 days'],
      ['20 days', '9 days'],
      ['20 days', null],
    ])
      await sql(
        `insert into status_event (customer_id, id, service_id, status, message, starts_at, ends_at)
         values ($1, gen_random_uuid(), $2, 'outage', 'M', now() - $3::interval, now() - $4::interval)`,
        [id, service.id, start, end],
      );
    await (
      await jobWith()
    )();
    expect(await sql('select count(*)::int as n from status_event where customer_id = $1', [id])).toEqual([{ n: 2 }]);
  });

  it('deletes refused requests of long ago, also those of unknown callers', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    for (const customer of [id, '00000000-0000-0000-0000-000000000000'])
      for (const age of ['15 days', '13 days'])
        await sql(
          `insert into refused_request (customer_id, id, request_id, network, method, status, duration_ms, created_at)
           values ($1, app.first_id(now() - $2::interval), 'r', 'n', 'GET', 404, 1, now() - $2::interval)`,
          [customer, age],
        );
    await (
      await jobWith()
    )();
    expect(await sql(`select customer_id from refused_request where now() - created_at > '14 days'`, [])).toEqual([]);
    expect(await sql('select count(*)::int as n from refused_request', [])).toEqual([{ n: 2 }]);
  });

  it('deletes what the operator API keeps for a day for retries, also if no further request comes', async () => {
    for (const [hash, age] of [
      ['old', '24 hours 1 minute'],
      ['new', '23 hours'],
    ])
      await sql(
        `insert into operator_request_key (key_hash, fingerprint, secrets_key, reply, created_at)
         values ($1::bytea, '', 'k', 'a name', now() - $2::interval)`,
        [hash, age],
      );
    const run = await jobWith(OFF);
    await run();
    expect(await sql(`select convert_from(key_hash, 'UTF8') as key from operator_request_key`, [])).toEqual([
      { key: 'new' },
    ]);
  });

  it('deletes counts of SMS of days long past', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    for (const age of [40, 30, 0])
      await sql('insert into sms_daily_count (customer_id, day, messages) values ($1, current_date - $2::int, 1)', [
        id,
        age,
      ]);
    await (
      await jobWith()
    )();
    expect(await sql('select count(*)::int as n from sms_daily_count where customer_id = $1', [id])).toEqual([
      { n: 2 },
    ]);
  });

  it('keeps everything unless the settings say otherwise', async () => {
    const { id } = await saveFakeCustomer(database.superuser);
    await saveSms(id, 1, '4000 days');
    await saveTicket(id, 'closed', '4000 days');
    await (
      await jobWith(OFF)
    )();
    expect(await texts(id)).toBe(1);
    expect(await tickets(id)).toHaveLength(1);
  });
});
