import { Client } from 'pg';
import { SmsLogService } from '@domains/sms';
import { CustomerContextService } from '@platform/context';
import {
  clientSettings,
  decoders,
  OverloadedError,
  PipelinedConnectionsService,
  readStatement,
} from '@platform/database';
import { createSmsFixture, type SmsFixture } from '@test/sms.fixture';
import { saveFakeCustomer } from '@test/factories/customer.factory';

describe('Sending SMS', () => {
  let fixture: SmsFixture;
  beforeAll(async () => {
    fixture = await createSmsFixture();
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.sandbox.reset());

  it('is refused to a customer without settings, and to one that was switched off', async () => {
    const { id: without } = await saveFakeCustomer(fixture.superuser);
    const off = await fixture.customer();
    await fixture.superuser.query('update sms_settings set enabled = false where customer_id = $1', [off]);
    for (const customer of [without, off]) {
      await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_disabled' });
      expect(await fixture.rows(customer)).toEqual([]);
    }
    expect(fixture.sandbox.elks46.total).toBe(0);
  });

  it('is refused for a number that cannot exist, before anything is stored', async () => {
    const customer = await fixture.customer();
    await expect(fixture.send(customer, { to: '+4712' })).rejects.toMatchObject({
      code: 'invalid_request',
      options: { errors: [{ pointer: '/to' }] },
    });
    expect(await fixture.rows(customer)).toEqual([]);
  });

  it('stores the message before the gateway is asked, as one whose outcome is unknown', async () => {
    const customer = await fixture.customer();
    const gate = fixture.sandbox.elks46.hold();
    const sending = fixture.send(customer);
    await gate.holding(1);
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'unknown', gateway_message_id: null }]);
    gate.open();
    await sending;
  });

  it('writes an audit entry with each message', async () => {
    const customer = await fixture.customer();
    const { id } = await fixture.send(customer);
    const { rows } = await fixture.superuser.query(
      'select actor, action, metadata from audit_log where customer_id = $1',
      [customer],
    );
    expect(rows).toEqual([{ actor: 'token:test', action: 'sms.send', metadata: { sms_id: id } }]);
  });

  it('goes exactly up to the daily cap, however many calls come at once', async () => {
    const customer = await fixture.customer(7);
    const calls = await Promise.allSettled(Array.from({ length: 60 }, () => fixture.send(customer)));
    const refused = calls.filter((call) => call.status === 'rejected').map(({ reason }) => reason as object);
    expect(refused).toHaveLength(53);
    // A slow machine refuses some before it has looked at the cap.
    for (const error of refused.filter((one) => !(one instanceof OverloadedError)))
      expect(error).toMatchObject({
        ...{ code: 'rate_limited', detail: 'The daily cap of 7 SMS is reached' },
        options: { retryAfterSeconds: expect.any(Number) },
      });
    expect(fixture.sandbox.elks46.accepted).toHaveLength(7);
    expect(await fixture.rows(customer)).toHaveLength(7);
  });

  it('sends nothing under a cap of zero', async () => {
    await expect(fixture.send(await fixture.customer(0))).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('does not count messages that certainly were not sent, and counts those that may have been', async () => {
    const customer = await fixture.customer(2);
    fixture.sandbox.elks46.script({ status: 400 }, { status: 500 }, {});
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_rejected' });
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'sms_gateway_failed' });
    await fixture.send(customer);
    await expect(fixture.send(customer)).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it('tells the caller that the message went although the outcome could not be stored', async () => {
    // Reports on other tests' messages would be refused, too.
    await fixture.sandbox.elks46.reportsSettled();
    const customer = await fixture.customer();
    const gate = fixture.sandbox.elks46.hold();
    fixture.sandbox.elks46.script({ reports: 'none' });
    const sending = fixture.send(customer);
    await gate.holding(1);
    await fixture.superuser.query('revoke update on sms_message from customer_api');
    gate.open();
    await expect(sending).resolves.toMatchObject({ status: 'accepted' });
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'unknown' }]);
    await fixture.superuser.query(
      'grant update (status, gateway_message_id, error_code, delivered_at, updated_at) on sms_message to customer_api',
    );
  });

  it('cannot be read or changed by any statement of another customer', async () => {
    const [mine, theirs] = [await fixture.customer(), await fixture.customer()];
    await fixture.send(mine);
    const log = readStatement('test.log', 'select id from sms_message where customer_id = $1', { id: decoders.text });
    expect(await fixture.module.get(PipelinedConnectionsService).batch().read(theirs, log, [mine])).toEqual([]);
    expect(await fixture.list(theirs)).toEqual([]);
    expect(await fixture.list(mine)).toHaveLength(1);
    const api = new Client(clientSettings(fixture.config, 'customer_api'));
    await api.connect();
    // Reads nothing of a row, so that the rows that may be read do not decide.
    await api.query(`begin; select app.set_customer('${theirs}'); update sms_message set error_code = 'x'; commit`);
    await api.end();
    expect(await fixture.rows(mine)).toMatchObject([{ error_code: null }]);
  });

  it('is listed newest first, page by page, with no message lost or doubled while more are sent', async () => {
    const customer = await fixture.customer();
    await fixture.superuser.query(
      `insert into sms_message (customer_id, id, recipient, sender_id, message, segments, encoding, gateway, created_at)
       select $1, (substr(app.first_id(at)::text, 1, 20) || right(gen_random_uuid()::text, 16))::uuid, '+4790000000', 'Acme', 'n' || n,
         1, 'GSM-7', '46elks', at
       from (select n, timestamptz '2026-01-01' + (n / 5) * interval '1 microsecond' as at from generate_series(1, 53) n) m`,
      [customer],
    );
    const log = fixture.module.get(SmsLogService);
    const context = fixture.module.get(CustomerContextService);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await context.run(customer, () => log.list({ limit: 10, ...(cursor ? { cursor } : {}) }));
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      await fixture.send(customer);
    } while (cursor);
    const { rows } = await fixture.superuser.query<{ id: string }>(
      `select id from sms_message where customer_id = $1 and message like 'n%' order by created_at desc, id desc`,
      [customer],
    );
    expect(seen).toEqual(rows.map(({ id }) => id));
  });
});

describe('SMS of a process that ends', () => {
  it('are told as the gateway answers: what was asked is heard out', async () => {
    const fixture = await createSmsFixture();
    const customer = await fixture.customer();
    const gate = fixture.sandbox.elks46.hold();
    fixture.sandbox.elks46.script({ reports: 'none' });
    const sent = fixture.send(customer);
    await gate.holding(1);
    const closed = fixture.module.close();
    setImmediate(() => gate.open());
    expect(await sent).toMatchObject({ status: 'accepted' });
    await closed;
    expect(await fixture.rows(customer)).toMatchObject([{ status: 'accepted' }]);
    await fixture.close();
  });
});
