import { CUSTOMER_EVENT_TYPES, type CustomerEventType, OPERATOR_EVENTS } from '@domains/events';
import { setDatabaseClock } from '@test/database-clock';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { operatorCommand } from '@test/operator-command';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { until } from '@test/until';
import { startWorkerProcess, type WorkerProcess } from '@test/worker-process';
import type { EventPageDto } from '../../apps/customer-api/src/events/event-query.dto';

/** Types that other specs cause: webhooks have their own, and the turn of the month needs another clock. */
const ELSEWHERE: CustomerEventType[] = ['webhook.endpoint_disabled', 'ai.credit.renewed'];

jest.setTimeout(240_000);

/** Each type of event from its cause, through the programs: the command line, the API, the worker. */
describe('an event is written by its cause', () => {
  let fixture: FullApi;
  let worker: WorkerProcess;
  const seen = new Set<string>();
  beforeAll(async () => {
    fixture = await startFullApi({ RATE_LIMIT_AI_PER_MINUTE: '100000', RATE_LIMIT_REQUESTS_PER_MINUTE: '100000' });
    worker = await startWorkerProcess({
      DATABASE_URL: fixture.api.database.url,
      SANDBOX_URL: fixture.sandbox.url,
      SECRETS_KEY: fixture.api.database.config.SECRETS_KEY ?? '',
    });
  });
  afterAll(async () => {
    await worker.stop();
    await fixture.stop();
  });

  const operator = async (...words: string[]) => {
    const environment = { SANDBOX_URL: fixture.sandbox.url };
    const { code, stdout, stderr } = await operatorCommand(fixture.api.database, [...words, '--json'], { environment });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as { id: string; announcement_id?: string };
  };

  async function arrange(ai: Parameters<typeof createFullCaller>[2] = {}) {
    const caller = await createFullCaller(fixture, {}, ai);
    const json = async (path: string) => (await (await caller.call(path)).json()) as Record<string, unknown>;
    const post = async (path: string, body: object) => {
      const reply = await caller.call(path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    };
    /** The customer's events so far, and those that the operator is told about the customer. */
    const events = async () => ((await json('/events?limit=200')) as unknown as EventPageDto).data;
    const told = async () =>
      (
        await fixture.api.superuser.query<{ type: string; reference: object; record: Record<string, unknown> }>(
          'select type, reference, record from event where customer_id = $1 and operator_only order by id',
          [caller.customer.id],
        )
      ).rows;
    /** The events that came after those before, all of these types. */
    const expectEvents = async (...types: CustomerEventType[]) => {
      const found = (await events()).filter(({ id }) => !known.has(id));
      expect(found.map(({ type }) => type)).toEqual(types);
      for (const { id, type } of found) {
        known.add(id);
        seen.add(type);
      }
      return found.map(({ data }) => data as Record<string, unknown>);
    };
    const known = new Set<string>();
    return { ...caller, json, post, told, events, expectEvents };
  }
  type Caller = Awaited<ReturnType<typeof arrange>>;

  /** Links the customer to its account in the billing source: the worker syncs it. */
  const link = async ({ customer: { id } }: Caller) => {
    await fixture.api.superuser.query('delete from billing_account where customer_id = $1', [id]);
    await operator('invoice', 'link', '--customer', id, '--source', 'stripe', '--source-customer', id);
  };
  const askForCredit = async ({ post }: Caller) => {
    const { body } = await post('/ai/credit-requests', { amount_nok: 1250.5, reference: 'PO 7' });
    return Number(body.id);
  };

  it('an approval of a credit request: the request and its invoice as the API shows them', async () => {
    const caller = await arrange();
    const id = await askForCredit(caller);
    await operator('credit-request', 'approve', '--id', String(id));
    const [invoice, approved] = await caller.expectEvents('invoice.created', 'credit_request.approved');
    expect(approved).toEqual(await caller.json(`/ai/credit-requests/${id}`));
    expect(approved).toMatchObject({ status: 'approved', amount_nok: 1250.5 });
    expect(invoice).toEqual(await caller.json(`/invoices/${String(invoice?.id)}`));
    // Again: nothing happens.
    await operator('credit-request', 'approve', '--id', String(id));
    await caller.expectEvents();
  });

  it('a rejection, and the request itself, of which the operator is told', async () => {
    const caller = await arrange();
    const id = await askForCredit(caller);
    await operator('credit-request', 'reject', '--id', String(id), '--reason', 'No contract');
    expect(await caller.expectEvents('credit_request.rejected')).toEqual([
      await caller.json(`/ai/credit-requests/${id}`),
    ]);
    expect(await caller.told()).toEqual([
      { type: 'credit_request.created', reference: { id }, record: expect.objectContaining({ id, status: 'pending' }) },
    ]);
  });

  it("an operator's invoice, and its new status; the same status again is no event", async () => {
    const caller = await arrange();
    const number = `E-${Date.now()}`;
    const words = [
      '--customer',
      caller.customer.id,
      '--number',
      number,
      '--amount-nok',
      '99.90',
      '--issue-date',
      '2026-01-31',
    ];
    const { id } = await operator('invoice', 'add', ...words, '--due-date', '2026-02-14');
    const [created] = await caller.expectEvents('invoice.created');
    expect(created).toEqual(await caller.json(`/invoices/${id}`));
    expect(created).toMatchObject({ amount: 99.9, overdue: true, due_date: '2026-02-14' });
    const pay = () => operator('invoice', 'set-status', '--invoice', id, '--status', 'paid');
    await pay();
    const paid = await caller.json(`/invoices/${id}`);
    expect(await caller.expectEvents('invoice.updated')).toEqual([paid]);
    await pay();
    await caller.expectEvents();
    expect(await caller.json(`/invoices/${id}`)).toEqual(paid);
  });

  it('a sync that sees a new invoice, one that changes, and one that stays as it is', async () => {
    const caller = await arrange();
    const { id } = caller.customer;
    const [seenBefore] = fixture.sandbox.stripe.store.addInvoices({ customer: id, count: 1, statuses: ['open'] });
    await link(caller);
    await operator('invoice', 'sync', '--customer', id, '--source', 'stripe');
    const numbers = async () =>
      (await caller.events()).map(({ type, data }) => [type, (data as { number: string }).number]);
    await until(async () => (await numbers()).length >= 2);
    const found = (await caller.events()).filter(({ type }) => type === 'invoice.created');
    for (const { data } of found) expect(data).toEqual(await caller.json(`/invoices/${(data as { id: string }).id}`));
    for (const { type } of await caller.events()) seen.add(type);
    expect(seenBefore).toBeDefined();
    const before = await caller.events();
    await operator('invoice', 'sync', '--customer', id, '--source', 'stripe', '--full');
    await until(async () => {
      const { rows } = await fixture.api.superuser.query<{ done: boolean }>(
        'select bool_and(run_id is null and due_at > now()) as done from invoice_sync where customer_id = $1',
        [id],
      );
      return rows[0]?.done === true;
    });
    expect(await caller.events()).toEqual(before);
  });

  it('a sync that begins to fail, of which the operator is told once', async () => {
    const caller = await arrange();
    const { id } = caller.customer;
    fixture.sandbox.stripe.always({ status: 401 });
    await link(caller);
    const failures = async () =>
      (
        await fixture.api.superuser.query<{ failures: number }>(
          'update invoice_sync set due_at = now() where customer_id = $1 and run_id is null returning failures',
          [id],
        )
      ).rows[0]?.failures ?? 0;
    await until(async () => (await failures()) >= 2, 200);
    fixture.sandbox.stripe.reset();
    expect(await caller.told()).toMatchObject([
      { type: 'invoice.sync_failed', reference: { source: 'stripe' }, record: { source: 'stripe' } },
    ]);
    seen.add('invoice.sync_failed');
  });

  it("an operator's reply and status; neither a note nor a customer's own reply, also one that was given by telephone", async () => {
    const caller = await arrange();
    const { body } = await caller.post('/support/tickets', { title: 'Help', body: 'It is slow' });
    const id = String(body.id);
    await operator('ticket', 'note', '--ticket', id, '--body', 'A note');
    await caller.expectEvents();
    await operator('ticket', 'reply', '--ticket', id, '--body', 'We look');
    expect(await caller.expectEvents('ticket.replied')).toEqual([await caller.json(`/support/tickets/${id}`)]);
    const wait = () => operator('ticket', 'set-status', '--ticket', id, '--status', 'pending');
    await wait();
    const [changed] = await caller.expectEvents('ticket.status_changed');
    expect(changed).toEqual(await caller.json(`/support/tickets/${id}`));
    expect(changed).toMatchObject({ status: 'pending', reply_count: 1, replies: [{ body: 'We look' }] });
    await wait();
    await caller.post(`/support/tickets/${id}/replies`, { body: 'Thank you' });
    await operator('ticket', 'reply', '--ticket', id, '--author', 'customer', '--body', 'They called: it works');
    await caller.expectEvents();
    expect(await caller.told()).toMatchObject([
      { type: 'ticket.created', reference: { id }, record: { id, title: 'Help' } },
    ]);
  });

  it('a thread that is too long for an event leaves its id', async () => {
    const caller = await arrange();
    const { body } = await caller.post('/support/tickets', { title: 'Help', body: 'It is slow' });
    for (let count = 0; count < 5; count++)
      await caller.post(`/support/tickets/${String(body.id)}/replies`, { body: 'ø'.repeat(4000) });
    await operator('ticket', 'set-status', '--ticket', String(body.id), '--status', 'resolved');
    expect(await caller.expectEvents('ticket.status_changed')).toEqual([{ id: body.id }]);
  });

  it('an SMS that is delivered, one that is not, and one of which nobody knows', async () => {
    const caller = await arrange();
    const send = async (message: string) =>
      String((await caller.post('/sms/send', { to: '+4790000000', message })).body.id);
    const id = await send('Hello');
    const { rows } = await fixture.api.superuser.query<{ gateway: string }>(
      'select gateway from sms_message where customer_id = $1 and id = $2',
      [caller.customer.id, id],
    );
    await fixture.api.superuser.query(
      `select app.record_sms_outcome($1, $2, $3, 'delivered', '{unknown,accepted,sent,failed}', null, null, null, 'Europe/Oslo')`,
      [caller.customer.id, id, rows[0]?.gateway],
    );
    const delivered = (await caller.events()).filter(({ type }) => type === 'sms.delivered');
    expect(delivered.map(({ data }) => data)).toEqual([await caller.json(`/sms/log/${id}`)]);
    fixture.sandbox.elks46.always({ status: 400 });
    await caller.post('/sms/send', { to: '+4790000000', message: 'No' });
    fixture.sandbox.elks46.always({ status: 500 });
    await caller.post('/sms/send', { to: '+4790000000', message: 'Maybe' });
    fixture.sandbox.elks46.reset();
    for (const { type } of await caller.events()) seen.add(type);
    expect((await caller.events()).map(({ type }) => type)).toEqual(['sms.delivered', 'sms.failed', 'sms.unknown']);
  });

  it('a status event that begins and ends, one that is planned, and one that is cancelled', async () => {
    const caller = await arrange();
    const service = String(caller.service.id);
    const post = (...words: string[]) =>
      operator('status', 'post', '--service', service, '--status', 'degraded', '--message', 'Slow', ...words);
    const status = async () => {
      const { data } = (await caller.json('/status')) as { data: { service_id: number }[] };
      return data.find(({ service_id }) => service_id === caller.service.id);
    };
    const { id } = await post();
    expect(await caller.expectEvents('service.status_changed')).toEqual([await status()]);
    await operator('status', 'end', '--event', id);
    const [ended] = await caller.expectEvents('service.status_changed');
    expect(ended).toEqual(await status());
    expect(ended).toMatchObject({ service_id: caller.service.id, status: 'operational' });
    const cancelled = await post('--starts-at', '2030-01-01T00:00:00Z');
    await operator('status', 'end', '--event', cancelled.id);
    await caller.expectEvents();
    const planned = await post('--starts-at', new Date(Date.now() + 1500).toISOString());
    await until(async () => (await caller.events()).length === 3, 200);
    const [begun] = await caller.expectEvents('service.status_changed');
    expect(begun).toMatchObject({ status: 'degraded' });
    await operator('status', 'end', '--event', planned.id);
    await caller.expectEvents('service.status_changed');
  });

  it('an announcement to all services of a type, for each of them', async () => {
    const [one, other] = [await arrange(), await arrange()];
    const type = `type-${Date.now()}`;
    for (const { customer } of [one, other])
      await fixture.api.superuser.query(
        `insert into customer_service (customer_id, type, name) select $1, $2, 'S' from generate_series(1, 2)`,
        [customer.id, type],
      );
    const { announcement_id: announcement = '' } = await operator(
      'status',
      'post',
      '--type',
      type,
      '--status',
      'outage',
      '--message',
      'Out',
      '--yes',
    );
    for (const caller of [one, other]) {
      const told = await caller.expectEvents('service.status_changed', 'service.status_changed');
      expect(told).toMatchObject([{ status: 'outage' }, { status: 'outage' }]);
    }
    await operator('status', 'end', '--announcement', announcement);
    await one.expectEvents('service.status_changed', 'service.status_changed');
  });

  it('credit that is nearly used up, and a message that is refused, once each', async () => {
    const caller = await arrange({ included: 2, purchased: 0.5 });
    const message = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 50 };
    for (let status = 201; status === 201;) ({ status } = await caller.post('/ai/messages', message));
    for (let more = 0; more < 3; more++) expect((await caller.post('/ai/messages', message)).status).toBe(402);
    const [low, exhausted] = await caller.expectEvents('ai.credit.low', 'ai.credit.exhausted');
    const { ai } = (await caller.json('/ai')) as { ai: object };
    expect(exhausted).toEqual({ ...ai, threshold: null });
    expect(low).toMatchObject({ threshold: 80, current_month_limit: 2.5 });
    const used = Number(low?.current_month_usage);
    expect(used).toBeGreaterThanOrEqual(2);
  });

  it('a token that expires in two weeks, and on the last day', async () => {
    const caller = await arrange();
    const [moment, day] = [Date.now(), 86_400_000];
    const save = async (name: string, days: number, age: number, told?: number, active = true) => {
      const token = await saveFakeToken(fixture.api.superuser, caller.customer.id, {
        name,
        expiresAt: new Date(moment + days * day),
        active,
      });
      await fixture.api.superuser.query(
        'update service_token set created_at = now() - make_interval(days => $2), expiry_told_days = $3 where id = $1',
        [token.id, age, told],
      );
    };
    await save('two weeks', 14, 100);
    await save('a day', 1, 100, 14);
    await save('far', 14.1, 100);
    await save('young', 5, 1);
    await save('last day of three', 0.5, 3);
    // Made to be valid for hours, told already, deactivated, and over.
    await save('brief', 0.5, 0);
    await save('told', 10, 100, 14);
    await save('told twice', 0.5, 100, 1);
    await save('inactive', 5, 100, undefined, false);
    await save('over', -1, 100);
    // The last one, hours later, tells of the one that was far.
    for (const later of [0, 0, 0.2]) {
      await setDatabaseClock(fixture.api.superuser, { standsAt: new Date(moment + later * day) });
      await fixture.api.superuser.query('select app.announce_expiring_tokens($1)', [caller.customer.id]);
    }
    await setDatabaseClock(fixture.api.superuser, 'right');
    const told = await caller.expectEvents(...Array<'token.expiring'>(4).fill('token.expiring'));
    expect(told.map(({ name }) => name).sort()).toEqual(['a day', 'far', 'last day of three', 'two weeks']);
    expect(Object.keys(told[0] ?? {})).toEqual(['id', 'name', 'expires_at']);
  });

  it('an AI provider that does not answer, of which the operator is told once', async () => {
    const caller = await arrange();
    await fixture.sandbox.refuseConnections();
    const message = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 50 };
    const outages = async () =>
      (await fixture.api.superuser.query(`select record from event where type = 'ai.upstream_down'`)).rows;
    await until(async () => {
      await caller.post('/ai/messages', message);
      return (await outages()).length > 0;
    });
    await fixture.sandbox.acceptConnections();
    expect(await outages()).toEqual([{ record: { upstream: 'ai-provider', since: expect.any(String) } }]);
    seen.add('ai.upstream_down');
  });

  it('of every type', () => {
    for (const type of Object.keys(OPERATOR_EVENTS)) if (type.endsWith('.created')) seen.add(type);
    expect([...seen, ...ELSEWHERE].sort()).toEqual([...CUSTOMER_EVENT_TYPES, ...Object.keys(OPERATOR_EVENTS)].sort());
  });
});
