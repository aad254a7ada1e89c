import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { saveFakeBillingAccount } from '@test/factories/invoice.factory';
import { enableAi, saveModelPrice } from '@test/ai-factories';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { setDatabaseClock } from '@test/database-clock';
import { describeWithMonitoring } from '@test/monitoring/find-program';
import { type Monitoring, startMonitoring } from '@test/monitoring/monitoring';
import { play, type Scenario, type Seen } from '@test/monitoring/scenario';
import { alertNames } from '@test/monitoring/shortened-rules';
import { startWatchedService, type WatchedService } from '@test/monitoring/watched-service';
import { until } from '@test/until';

/** How much quicker `for:` and windows of the rules are. 1: the rules as they are; most of an hour. */
const FACTOR = Number(process.env.ALERTS_FACTOR ?? 120);
/** `all`: also what takes more than a few seconds by itself, or kills processes. */
const ALL = process.env.ALERTS === 'all';
const TIMEOUT_MS = 7_200_000 / FACTOR + 120_000;

const AI = '/api/v1/ai/messages';
const TICKETS = '/api/v1/support/tickets';

/** `JobStale` needs two and a half hours without a success; promtool raises it. */
const NOT_PROVOKED = ['JobStale'];

describeWithMonitoring('alerts, from the service to who is called', (programs) => {
  let service: WatchedService;
  let monitoring: Monitoring;
  const table: Seen[] = [];

  beforeAll(async () => {
    service = await startWatchedService();
    monitoring = await startMonitoring(programs, service.targets, FACTOR);
    await until(async () => (await monitoring.query('count(up == 1)')) === 3, 200);
    await until(async () => (await monitoring.query('ai_credit_verified_seconds')) !== undefined, 200);
  }, 120_000);
  afterAll(async () => {
    console.table(table);
    await monitoring.stop();
    await service.stop();
  });

  const sql = (text: string, values: unknown[] = []) => service.superuser.query(text, values);
  const ask = (replica: 0 | 1, content: string) =>
    service.call(replica, '/ai/messages', { max_tokens: 300, messages: [{ role: 'user', content }] });

  /** A customer with AI credit, and pending reservations of it of 20 minutes ago. */
  async function saveReservations(count: number, deadline: string): Promise<string> {
    const { id } = await saveFakeCustomer(service.superuser);
    await enableAi(service.superuser, id, { model: await saveModelPrice(service.superuser), included: 100 });
    await sql(
      `insert into ai_reservation (customer_id, id, amount, model, price_valid_from, input_tokens_bound, max_tokens, deadline, month, created_at)
       select $1, app.new_id(), 2, s.model, '2020-01-01', 1, 1, now() + $2::interval, a.month, now() - interval '20 minutes'
       from ai_settings s join ai_account a using (customer_id), generate_series(1, $3) where s.customer_id = $1`,
      [id, deadline, count],
    );
    await sql('update ai_account set reserved = 2 * $2 where customer_id = $1', [id, count]);
    return id;
  }

  const inTheBooks = (): Scenario[] => {
    let [stuck, unknown, stray] = ['', '', ''];
    const book = (amount: number) =>
      sql('update ai_account set purchased = purchased + $2 where customer_id = $1', [service.customerId, amount]);
    return [
      {
        cause: 'a krone too much in a balance',
        alerts: [{ alert: 'CreditDoesNotAddUp' }],
        provoke: () => book(1),
        meanwhile: () => service.hasten('ai.verify'),
        mend: () => book(-1),
        afterwards: () => service.hasten('ai.verify'),
      },
      {
        cause: 'a job that fails',
        alerts: [{ alert: 'JobFails', labels: { job_name: 'idempotency.complete-overdue-keys' } }],
        provoke: () => sql('revoke select on idempotency_key from account_operator'),
        mend: () => sql('grant select on idempotency_key to account_operator'),
      },
      {
        cause: 'a reservation that nobody ends',
        alerts: [{ alert: 'ReservationStuck' }],
        provoke: async () => (stuck = await saveReservations(1, '1 hour')),
        mend: () => sql(`update ai_reservation set deadline = now() where customer_id = $1`, [stuck]),
      },
      {
        cause: 'eleven calls that nobody knows the end of',
        alerts: [{ alert: 'OutcomesUnknown' }],
        provoke: async () => (unknown = await saveReservations(11, '-1 second')),
        mend: () =>
          sql(`update ai_reservation set resolved_at = now() - interval '2 days' where customer_id = $1`, [unknown]),
      },
      {
        cause: 'a row of a month that has no partition',
        alerts: [{ alert: 'RowsInNoMonth', labels: { table: 'audit_log' } }],
        provoke: async () => {
          const { rows } = await sql(
            `insert into audit_log (customer_id, id, actor, action) values ($1, app.first_id(now() + interval '5 years'), 'a', 'b')
             returning id`,
            [randomUUID()],
          );
          stray = (rows[0] as { id: string }).id;
        },
        meanwhile: () => service.hasten('database.partitions'),
        mend: () => sql('delete from audit_log where id = $1', [stray]),
        afterwards: () => service.hasten('database.partitions'),
      },
      {
        cause: 'a billing system that answers 503',
        alerts: [{ alert: 'InvoicesOld', labels: { source: 'fiken' } }],
        provoke: async () => {
          service.sandbox.fiken.always({ status: 503 });
          await saveFakeBillingAccount(service.superuser, service.customerId, 'fiken', '1001');
          await sql(`update billing_account set created_at = now() - interval '2 hours'`);
          await sql(`insert into invoice_sync (customer_id, source) values ($1, 'fiken')`, [service.customerId]);
        },
        mend: async () => {
          service.sandbox.fiken.always();
          await sql('update invoice_sync set due_at = now(), queued_at = null');
        },
        afterwards: () => sql('update invoice_sync set due_at = now() where succeeded_at is null'),
      },
    ];
  };

  const atOtherSystems = (): Scenario[] => [
    {
      cause: 'the AI provider answers 529',
      alerts: [
        { alert: 'UpstreamFails', labels: { upstream: 'ai-provider' } },
        { alert: 'UpstreamCircuitOpen', labels: { upstream: 'ai-provider' } },
        { alert: 'RequestsFail', labels: { route: AI } },
      ],
      meanwhile: () => ask(0, '[[sandbox:status=529]]'),
      afterwards: () => ask(0, 'Hello'),
    },
    {
      cause: 'the AI provider answers 401',
      alerts: [{ alert: 'UpstreamRefuses', labels: { upstream: 'ai-provider' } }],
      meanwhile: () => ask(1, '[[sandbox:status=401]]'),
    },
    {
      cause: 'a call that costs more than was reserved',
      alerts: [{ alert: 'UncoveredUsage', labels: { cause: 'beyond_reservation' } }],
      // Twice: the first makes the series, and a rate is seen from the second on.
      meanwhile: () => ask(1, '[[sandbox:usage={"output_tokens":5000}]]'),
    },
    {
      cause: 'a table that others lock for more than a second',
      alerts: [{ alert: 'RequestsSlow', labels: { route: '/api/v1/services' } }],
      meanwhile: async () => {
        // On a connection of its own: the others' statements would wait, too.
        const locker = new Client({ connectionString: service.databaseUrl });
        await locker.connect();
        await locker.query('begin');
        await locker.query('lock table customer_service in access exclusive mode');
        const slow = service.call(0, '/services');
        await wait(1_500);
        await locker.end();
        await slow;
      },
    },
    {
      cause: 'Redis is away',
      alerts: [{ alert: 'RateLimitsDegraded' }],
      provoke: () => service.redis.kill(),
      meanwhile: () => Promise.all([service.call(0, '/customer'), service.call(1, '/customer')]),
      mend: () => service.redis.restart(),
      afterwards: () => Promise.all([service.call(0, '/customer'), service.call(1, '/customer')]),
    },
  ];

  const onTheDisk = (): Scenario[] => [
    {
      cause: 'a full disk',
      alerts: [{ alert: 'RequestsFail', labels: { route: TICKETS } }],
      provoke: async () =>
        service.disk
          ? service.disk.fill()
          : sql(`
              create function full_disk() returns trigger language plpgsql as
                $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
              create trigger full_disk before insert on support_ticket for each row execute function full_disk()`),
      meanwhile: () => service.call(0, '/support/tickets', { title: 'A title', body: randomUUID().repeat(200) }),
      mend: async () => (service.disk ? service.disk.clear() : sql('drop trigger full_disk on support_ticket')),
      afterwards: () => service.call(0, '/support/tickets', { title: 'A title', body: 'There is room again' }),
    },
  ];

  const inProcesses = (): Scenario[] => [
    {
      cause: 'a process that gets no processor for most of the time',
      alerts: [{ alert: 'EventLoopBlocked' }, { alert: 'Overloaded' }],
      meanwhile: async () => {
        const { child } = service.replicas[1];
        const calls = Array.from({ length: 20 }, () => service.call(1, '/customer'));
        child.kill('SIGSTOP');
        await wait(700);
        child.kill('SIGCONT');
        await wait(100);
        void Promise.all(calls);
      },
    },
    {
      cause: 'nobody can listen for changes of tokens',
      alerts: [{ alert: 'TokenCacheUntrusted' }],
      meanwhile: async () => {
        for (let round = 0; round < 10; round++) {
          await sql(
            `select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%' or application_name = 'token_changes'`,
          );
          await wait(10);
        }
      },
    },
  ];

  const onTheClock = (): Scenario[] => [
    {
      cause: 'a clock that is wrong by a minute',
      alerts: [{ alert: 'ClockWrong' }],
      provoke: () => setDatabaseClock(service.superuser, { aheadBy: '1 minute' }),
      mend: () => setDatabaseClock(service.superuser, 'right'),
    },
  ];

  const awayForAWhile = (): Scenario[] => [
    {
      cause: 'a worker that does not reach its database',
      alerts: [{ alert: 'JobsOverdue' }, { alert: 'CreditNotVerified' }],
      provoke: async () => service.workerLink.down(),
      mend: async () => service.workerLink.up(),
    },
    {
      cause: 'one of two replicas is dead',
      alerts: [{ alert: 'ReplicaDown' }],
      provoke: () => service.replicas[1].stop('SIGKILL'),
      mend: () => service.startReplica(1),
    },
  ];

  const dead = (): Scenario[] => [
    {
      cause: 'all replicas are dead',
      alerts: [{ alert: 'ServiceDown' }],
      provoke: () => Promise.all(service.replicas.map((replica) => replica.stop('SIGKILL'))),
      mend: () => Promise.all([service.startReplica(0), service.startReplica(1)]),
    },
    {
      cause: 'the worker is dead',
      alerts: [{ alert: 'WorkerDown' }],
      provoke: () => service.worker.stop('SIGKILL'),
      mend: () => service.startWorker(),
    },
  ];

  const quick = { inTheBooks, atOtherSystems, onTheDisk };
  const parts = Object.entries(ALL ? { ...quick, inProcesses, onTheClock, awayForAWhile, dead } : quick);

  it('are none as long as nothing is wrong', async () => {
    await wait(Math.max(5_000, 15_000 / FACTOR));
    expect(monitoring.receiver.received).toEqual([]);
  }, 60_000);

  it.each(parts)(
    'are raised and resolved: %s',
    async (_name, scenarios) => {
      const seen = await Promise.all(scenarios().map((scenario) => play(monitoring, scenario)));
      table.push(...seen.flat());
    },
    TIMEOUT_MS,
  );

  it('are all of the service’s', () => {
    const seen = new Set(table.map(({ alert }) => alert));
    const missing = alertNames().filter((name) => !seen.has(name));
    if (ALL) expect(missing).toEqual(NOT_PROVOKED);
    else expect(missing.length).toBeLessThan(alertNames().length / 2);
  });
});
