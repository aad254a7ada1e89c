import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { billingDay } from '@test/billing-days';
import { setDatabaseClock } from '@test/database-clock';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeCustomer } from '@test/factories/customer.factory';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';
import { until } from '@test/until';
import type { CustomerOverviewDto } from '../../apps/operator-api/src/customers/customer-overview.dto';

const DAY_MS = 86_400_000;
/** The figures of the present moment are kept for four seconds. */
const LONGER_THAN_KEPT_MS = 4001;
const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

interface Today {
  waiting: Record<string, number>;
  upstreams: { name: string; state: string; failures: number; last_failure_at: string | null }[];
  series: {
    ai: { day: string; calls: number; cost_nok: number }[];
    refusals: { day: string; code: string; requests: number }[];
  };
}

describe('the figures of today', () => {
  let api: TestOperatorApi;
  let operator: TestOperator;
  let customer: string;
  let later = 0;
  beforeAll(async () => {
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + later);
    api = await startOperatorApi();
    operator = await logIn(api, 'viewer');
    customer = (await saveFakeCustomer(api.superuser)).id;
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await api.stop();
  });

  const today = async () => (await (await operator.call('/today')).json()) as Today;
  const run = (sql: string, ...values: unknown[]) => api.superuser.query(sql, [customer, ...values]);
  const refuse = (daysAgo: number) =>
    run(
      `insert into refused_request (customer_id, id, request_id, network, method, status, code, duration_ms, created_at)
       select $1, app.first_id(moment), 'r', '192.0.2.1', 'GET', 429, 'rate_limited', 1, moment
       from (select now() - $2 * interval '1 day' as moment) m`,
      daysAgo,
    );

  it('count what waits for somebody', async () => {
    for (const [status, priority, author] of [
      ['open', 'urgent', 'customer'],
      ['open', 'urgent', 'operator'],
      ['open', 'high', 'customer'],
      ['closed', 'urgent', 'customer'],
    ]) {
      const id = randomUUID();
      await run(
        `insert into support_ticket (customer_id, id, title, body, status, priority) values ($1, $2, 'T', 't', $3, $4)`,
        ...[id, status, priority],
      );
      await run(
        `insert into support_ticket_reply (customer_id, id, ticket_id, author, body) values ($1, gen_random_uuid(), $2, $3, 'r')`,
        ...[id, author],
      );
    }
    await run(
      `insert into billing_account (customer_id, source, source_customer_id) values ($1, 'stripe', 'c'), ($1, 'fiken', 'c')`,
    );
    await run(
      `insert into invoice_sync (customer_id, source, failures, failing_since) values ($1, 'stripe', 2, now()), ($1, 'fiken', 0, null)`,
    );
    await run(
      `insert into ai_credit_request (customer_id, amount_nok, created_at) values ($1, 500, now()), ($1, 250.5, now())`,
    );
    const { waiting, upstreams } = await today();
    expect(waiting).toMatchObject({
      ...{ unanswered_tickets: 2, urgent_tickets: 2, failing_syncs: 1 },
      ...{ credit_requests: 2, credit_requests_nok: 750.5, unknown_outcomes: 0, ledger_problems: 0 },
    });
    expect(upstreams).toMatchObject([
      { name: 'ai', state: 'ok' },
      { name: 'sms', state: 'ok' },
      { name: 'fiken', state: 'ok', failures: 0 },
      { name: 'stripe', state: 'failing', failures: 1 },
    ]);
  });

  it('count an invoice as overdue from the end of its due date in Norway on, as its customer reads it, and so do the overview and the list', async () => {
    const invoice = { number: '1', dueDate: '2026-03-10', amountDue: '20000' };
    await saveFakeInvoice(api.superuser, customer, invoice);
    await saveFakeInvoice(api.superuser, customer, { ...invoice, number: '2', type: 'credit_note' });
    await saveFakeInvoice(api.superuser, customer, { ...invoice, number: '3', status: 'paid', amountDue: '0' });
    await saveFakeInvoice(api.superuser, customer, { ...invoice, number: '4', dueDate: null });
    // Not in NOK, of which the sums are, and written off.
    await saveFakeInvoice(api.superuser, customer, { ...invoice, number: '5', currency: 'EUR' });
    await saveFakeInvoice(api.superuser, customer, { ...invoice, number: '6', status: 'uncollectible' });
    const overdueAt = async (standsAt: string) => {
      await setDatabaseClock(api.superuser, { standsAt });
      // A session that begins later is none yet.
      await api.superuser.query('update operator_session set created_at = app.now()');
      later += LONGER_THAN_KEPT_MS;
      const { overdue_invoices, overdue_invoices_nok } = (await today()).waiting;
      const overview = await operator.call(`/customers/${customer}/overview`);
      const { owed_nok, overdue_nok, counts } = (await overview.json()) as Pick<
        CustomerOverviewDto,
        'owed_nok' | 'overdue_nok' | 'counts'
      >;
      const { data } = (await (await operator.call('/invoices?overdue=true')).json()) as { data: { number: string }[] };
      return {
        overdue_invoices,
        overdue_invoices_nok,
        owed_nok,
        overdue_nok,
        // Invoices to be paid, also those in EUR; the credit note is none.
        open_invoices: counts.open_invoices,
        listed: data.map(({ number }) => number).sort(),
      };
    };
    try {
      expect(await overdueAt('2026-03-10T22:59:59Z')).toEqual({
        ...{
          overdue_invoices: 0,
          overdue_invoices_nok: 0,
          owed_nok: 400,
          overdue_nok: 0,
          open_invoices: 3,
          listed: [],
        },
      });
      expect(await overdueAt('2026-03-10T23:00:00Z')).toEqual({
        ...{ overdue_invoices: 2, overdue_invoices_nok: 200, owed_nok: 400, overdue_nok: 200, open_invoices: 3 },
        listed: ['1', '5'],
      });
    } finally {
      await setDatabaseClock(api.superuser, 'right');
    }
  });

  it('have the sums of a month: those of the last days are new after a minute, those of others after an hour', async () => {
    const sums = async () =>
      (await today()).series.refusals.map(({ day, requests }): [string, number] => [day, requests]);
    // The former figures are given once more, while they are read anew.
    const become = (expected: [string, number][]) =>
      until(async () => JSON.stringify(await sums()) === JSON.stringify(expected));
    later += DAY_MS;
    await today();
    const [old, present] = [dayOf(9), dayOf(0)];
    await refuse(9);
    await refuse(0);
    expect(await sums()).toEqual([]);
    later += 60_001;
    expect(await sums()).toEqual([]);
    await become([[present, 1]]);
    later += 3_600_001;
    await refuse(9);
    await refuse(0);
    await become([
      [old, 2],
      [present, 2],
    ]);
    later += DAY_MS;
    await refuse(9);
    // Of AI calls, whose days are Norway's: thirty with today's, whichever credit paid, without the uncovered part.
    const noon = (daysAgo: number) => new Date(Date.parse(`${billingDay()}T12:00:00Z`) - daysAgo * DAY_MS);
    await saveFakeUsage(api.superuser, customer, { createdAt: noon(30) });
    await saveFakeUsage(api.superuser, customer, {
      createdAt: noon(29),
      included: '0.25',
      purchased: '1.5',
      uncovered: '3',
    });
    for (const model of ['one', 'other']) await saveFakeUsage(api.superuser, customer, { createdAt: noon(0), model });
    const { refusals, ai } = (await today()).series;
    expect(refusals[0]).toMatchObject({ day: old, requests: 3 });
    expect(ai).toEqual([
      { day: billingDay(noon(29)), calls: 1, cost_nok: 1.75 },
      { day: billingDay(), calls: 2, cost_nok: 0.2 },
    ]);
  });

  it('say which other systems have failed in the last hour, how often, and when last', async () => {
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const fault = (minutes: number, code: string) =>
      run(
        `insert into refused_request (customer_id, id, request_id, network, method, status, code, duration_ms, created_at)
         values ($1, app.first_id($2), 'r', '192.0.2.1', 'POST', 502, $3, 1, $2)`,
        ...[minutesAgo(minutes), code],
      );
    for (const minutes of [3, 20, 61]) await fault(minutes, 'ai_upstream_failed');
    await fault(10, 'ai_upstream_rejected');
    await fault(30, 'sms_gateway_rejected');
    // Refusals of the service itself.
    await fault(1, 'ai_not_enabled');
    await fault(2, 'sms_not_enabled');
    later += LONGER_THAN_KEPT_MS;
    const [ai, sms] = (await today()).upstreams;
    expect(ai).toMatchObject({ name: 'ai', state: 'failing', failures: 3 });
    expect(sms).toMatchObject({ name: 'sms', state: 'failing', failures: 1 });
    const near = (time: string | null | undefined, minutes: number) =>
      Math.abs(Date.parse(time ?? '') - Date.parse(minutesAgo(minutes))) < 30_000;
    expect([near(ai?.last_failure_at, 3), near(sms?.last_failure_at, 30)]).toEqual([true, true]);
  });
});
