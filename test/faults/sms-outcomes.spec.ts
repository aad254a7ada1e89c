import { Test } from '@nestjs/testing';
import { Client } from 'pg';
import { SmsOperatorModule, UnconfirmedSmsService } from '@domains/sms';
import { ConfigModule } from '@platform/config';
import { DatabaseModule } from '@platform/database';
import { type FullApi, startFullApi } from '@test/full-api';
import { createKeyedCaller } from '@test/idempotent-posts';
import { databaseHasServed, databaseWasAway } from '@test/served-time';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';
import { until } from '@test/until';

/** Makes the database of this connection unavailable to all others, and available again. */
async function databaseSwitch(superuser: Client) {
  const { rows } = await superuser.query<{ name: string }>('select current_database() as name');
  const name = rows[0]?.name ?? '';
  // Connected to another database, because a database cannot be closed from within.
  const server = new Client({ connectionString: process.env.TEST_DATABASE_URL });
  await server.connect();
  return {
    shut: async () => {
      await server.query(`alter database ${name} with allow_connections false`);
      await server.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name <> ''`,
        [name],
      );
    },
    open: () => server.query(`alter database ${name} with allow_connections true`),
    close: () => server.end(),
  };
}

const SMS = { to: '+4790000000', message: 'Hello' };

/**
 * The database becomes unavailable while the gateway processes a message: the message must not be sent again, and the
 * log must be updated.
 */
describe('the outcome of an SMS, while the database is away', () => {
  let fixture: SmsFixture;
  let access: Awaited<ReturnType<typeof databaseSwitch>>;
  let received = 0;
  beforeAll(async () => {
    // Without delivery reports, which would also contain the status.
    fixture = await createSmsFixture({ SMS_REPORT_URL: '' });
    access = await databaseSwitch(fixture.superuser);
  });
  afterEach(() => access.open());
  afterAll(async () => {
    await access.close();
    await fixture.close();
  });

  /**
   * Sends messages, makes the database unavailable while the gateway processes them, and then releases the gateway's
   * replies.
   */
  async function sendMeanwhile(customerId: string, count: number, status?: number) {
    const gate = fixture.sandbox.elks46.hold();
    if (status !== undefined) fixture.sandbox.elks46.script(...Array.from({ length: count }, () => ({ status })));
    const sent = Array.from({ length: count }, () => fixture.send(customerId).catch((error: unknown) => error));
    await fixture.sandbox.elks46.received((received += count));
    await access.shut();
    gate.open();
    return Promise.all(sent);
  }

  const told = async (id: string) =>
    (
      await fixture.superuser.query<{ type: string; record: object }>(
        'select type, record from event where customer_id = $1 order by id',
        [id],
      )
    ).rows;

  it('is returned to the caller at once, and stored as soon as the database is back', async () => {
    const customerId = await fixture.customer();
    const told = await sendMeanwhile(customerId, 5);
    expect(told).toEqual(Array.from({ length: 5 }, () => expect.objectContaining({ status: 'accepted' }) as unknown));
    expect((await fixture.rows(customerId)).map(({ status }) => status)).toEqual(Array(5).fill('unknown'));
    await access.open();
    await until(async () => (await fixture.rows(customerId)).every(({ status }) => status === 'accepted'));
    expect(fixture.sandbox.elks46.accepted).toHaveLength(5);
  });

  it('is not told to be unknown while it waits to be stored, however long the database was away', async () => {
    const customerId = await fixture.customer();
    const giveUp = async () =>
      (await fixture.superuser.query(`select app.give_up_sms($1, '75 seconds') as count`, [customerId])).rows;
    await databaseHasServed(fixture.superuser);
    await sendMeanwhile(customerId, 1);
    const hourAgo = `(created_at at time zone 'UTC' - interval '1 hour') at time zone 'UTC'`;
    await fixture.superuser.query(`update sms_message set created_at = ${hourAgo} where customer_id = $1`, [
      customerId,
    ]);
    await databaseWasAway(fixture.superuser);
    expect(await giveUp()).toEqual([{ count: 0 }]);
    // A process hears that it is back, before the outcome is stored.
    await fixture.superuser.query('select app.process_heartbeat(gen_random_uuid())');
    expect(await giveUp()).toEqual([{ count: 0 }]);
    await access.open();
    await until(async () => (await fixture.rows(customerId))[0]?.status === 'accepted');
    expect(await told(customerId)).toEqual([]);
  });

  it('that it was certainly not sent takes it off the count, once', async () => {
    const customerId = await fixture.customer();
    const [told] = await sendMeanwhile(customerId, 1, 400);
    expect(told).toMatchObject({ code: 'sms_gateway_rejected' });
    await access.open();
    await until(async () => (await fixture.rows(customerId))[0]?.status === 'failed');
    const { rows } = await fixture.superuser.query('select messages from sms_daily_count where customer_id = $1', [
      customerId,
    ]);
    expect(rows).toEqual([{ messages: 0 }]);
  });

  it('is unknown, and told once, if the process died before it was stored; what comes later overrules it', async () => {
    const customerId = await fixture.customer();
    const other = await fixture.customer();
    const died = async (id: string, age: string) =>
      (
        await fixture.superuser.query<{ id: string }>(
          `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway, created_at)
           values ($1, app.new_id(), '+4790000000', 'A', 'Hello', 1, 'GSM-7', '46elks', now() - $2::interval) returning id`,
          [id, age],
        )
      ).rows[0]!.id;
    // The gateway has 1.5 s, the database another 5 s, and an outcome that waits for the database a minute.
    const lost = await died(customerId, '67 seconds');
    await died(other, '66 seconds');
    const worker = await Test.createTestingModule({
      imports: [ConfigModule.for(fixture.config), DatabaseModule.as('account_operator'), SmsOperatorModule],
    }).compile();
    await databaseHasServed(fixture.superuser);
    expect(await worker.get(UnconfirmedSmsService).giveUp()).toBe(1);
    expect(await worker.get(UnconfirmedSmsService).giveUp()).toBe(0);
    await worker.close();
    expect(await told(customerId)).toMatchObject([{ type: 'sms.unknown', record: { id: lost, status: 'unknown' } }]);
    expect(await told(other)).toEqual([]);
    await fixture.superuser.query(
      `select app.record_sms_outcome($1, $2, '46elks', 'delivered', '{unknown,accepted,sent,failed}', null, now(), null, null)`,
      [customerId, lost],
    );
    expect((await told(customerId)).map(({ type }) => type)).toEqual(['sms.unknown', 'sms.delivered']);
    expect(await fixture.rows(customerId)).toMatchObject([{ status: 'delivered', error_code: null }]);
  });

  it('is stored before the process ends', async () => {
    const customerId = await fixture.customer();
    await sendMeanwhile(customerId, 3);
    const closing = fixture.module.close();
    await access.open();
    await closing;
    expect((await fixture.rows(customerId)).map(({ status }) => status)).toEqual(Array(3).fill('accepted'));
  });
});

describe('the Idempotency-Key of an SMS, while the database is away', () => {
  let full: FullApi;
  let access: Awaited<ReturnType<typeof databaseSwitch>>;
  beforeAll(async () => {
    full = await startFullApi({ SMS_REPORT_URL: '' });
    access = await databaseSwitch(full.api.superuser);
  });
  afterEach(() => access.open());
  afterAll(async () => {
    await access.close();
    await full.stop();
  });

  it.each([
    { outcome: 'sent', gateway: 200, status: 201, ends: 'done', retry: { status: 201, replayed: true } },
    { outcome: 'not sent', gateway: 403, status: 502, ends: 'free', retry: { status: 201, replayed: false } },
  ])(
    'is not given up: its request was told “$outcome”, and so is a retry',
    async ({ gateway, status, ends, retry }) => {
      const { superuser } = full.api;
      const { post, customer, newKey } = await createKeyedCaller(full);
      const key = newKey();
      const sql = async (text: string) =>
        (await superuser.query<{ result: unknown }>(text, [customer.id])).rows[0]?.result;
      const giveUp = () => sql('select app.give_up_idempotency_keys($1) as result');
      full.sandbox.reset();
      const gate = full.sandbox.elks46.hold();
      if (gateway !== 200) full.sandbox.elks46.script({ status: gateway });
      await databaseHasServed(superuser);
      const first = post('/sms/send', SMS, key);
      await full.sandbox.elks46.received(1);
      await access.shut();
      gate.open();
      expect(await first).toMatchObject({ status });
      await sql(`update idempotency_key set deadline = app.now() - interval '1 minute' where customer_id = $1`);
      await databaseWasAway(superuser);
      expect(await giveUp()).toBe(0);
      await superuser.query('select app.process_heartbeat(gen_random_uuid())');
      expect(await giveUp()).toBe(0);
      await access.open();
      await until(
        async () => (await sql('select state as result from idempotency_key where customer_id = $1')) === ends,
      );
      expect(await post('/sms/send', SMS, key)).toMatchObject(retry);
    },
  );
});
