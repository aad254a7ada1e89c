import { createAiCaller, startAiApi, type AiApi } from '@test/ai-api';
import { asRecord, parseExactly, readAllPages, readCsv } from '@test/csv-lists';
import { setDatabaseClock } from '@test/database-clock';
import { expectProblem } from '@test/expect-problem';
import { saveFakeUsage } from '@test/factories/ai-usage.factory';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { describeAuthentication } from '@test/suites/authentication.suite';
import type { AiUsageSummaryPageDto } from '../../apps/customer-api/src/ai-usage/ai-usage-summary.dto';

const MESSAGE = { max_tokens: 50, messages: [{ role: 'user', content: 'Say something' }] };
const LISTS = ['/ai/usage', '/ai/usage/summary?group_by=token', '/ai/usage/summary?group_by=model', '/ai/ledger'];

describe('receipts', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi()));
  afterAll(() => ai.stop());

  for (const path of ['/ai/usage', '/ai/usage/summary', '/ai/ledger'])
    describeAuthentication(() => ai.api, { method: 'GET', path }, 'ai:read');

  it('have what a message cost, which credit paid, at which prices, and who sent it', async () => {
    const me = await createAiCaller(ai, { included: 5 });
    await ai.api.superuser.query(`update service_token set name = 'ERP production' where id = $1`, [me.token.id]);
    const tokens = {
      input_tokens: 10,
      output_tokens: 4,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 100,
    };
    const cache_creation = { ephemeral_5m_input_tokens: 40, ephemeral_1h_input_tokens: 60 };
    ai.sandbox.messages.script({ usage: JSON.stringify({ ...tokens, cache_creation }) });
    const content = [{ type: 'text', text: 'x'.repeat(500), cache_control: { type: 'ephemeral', ttl: '1h' } }];
    const message = { ...MESSAGE, messages: [{ role: 'user', content }] };
    const reply = await me.post('/ai/messages', message, { headers: { 'x-request-id': 'my-request-1' } });
    const [receipt] = await readAllPages(me.call, '/ai/usage');
    const cost = 0.22;
    const sums = {
      ...{ input_tokens: 10, output_tokens: 4, cache_write_5m_tokens: 40, cache_write_1h_tokens: 60 },
      ...{ cache_read_tokens: 200, cost: '0.22', paid_from_included: '0.22', paid_from_purchased: 0, uncovered: 0 },
    };
    expect(receipt).toEqual({
      ...sums,
      id: reply.headers.get('x-ai-usage-id'),
      created_at: expect.any(String),
      model: ai.model,
      provider: 'anthropic',
      prices: {
        ...{ input: 1000, output: 5000, cache_write_5m: 1250, cache_write_1h: 2000, cache_read: 100 },
        valid_from: '2020-01-01T00:00:00.000000Z',
      },
      currency: 'NOK',
      request_id: 'my-request-1',
      token: { id: me.token.id, name: 'ERP production' },
      streamed: false,
    });
    expect(await readAllPages(me.call, '/ai/usage/summary?group_by=model')).toEqual([
      { model: ai.model, calls: 1, ...sums },
    ]);
    expect(reply.headers.get('x-ai-cost')).toBe(String(cost));
    expect(Number(reply.headers.get('x-ai-credit-remaining'))).toBeCloseTo(5 - cost, 12);
    const one = await me.call(`/ai/usage/${String(receipt?.id)}`);
    expect(parseExactly(await one.text())).toEqual(receipt);
  });

  it('cost what both kinds of credit paid', async () => {
    const me = await createAiCaller(ai);
    await saveFakeUsage(ai.api.superuser, me.customer.id, { included: '0.1', purchased: '0.2' });
    expect(await readAllPages(me.call, '/ai/usage')).toMatchObject([
      { cost: '0.3', paid_from_included: '0.1', paid_from_purchased: '0.2' },
    ]);
  });

  it('of streams are named at the start, and say that they were streamed', async () => {
    const me = await createAiCaller(ai);
    const reply = await me.post('/ai/messages', { ...MESSAGE, stream: true });
    const id = reply.headers.get('x-ai-usage-id');
    expect([reply.headers.get('x-ai-cost'), reply.headers.get('x-ai-credit-remaining')]).toEqual([null, null]);
    expect(await reply.text()).toContain('message_stop');
    const receipt = (await (await me.call(`/ai/usage/${id}`)).json()) as { streamed: boolean; cost: number };
    expect(receipt.streamed).toBe(true);
    expect(receipt.cost).toBeGreaterThan(0);
  });

  it('are the same as CSV, all of them, and so are the sums and the ledger', async () => {
    const me = await createAiCaller(ai, { included: 0.1, purchased: 2 });
    await ai.api.superuser.query(`update service_token set name = '=cmd|"/c calc"!A1, æøå' where id = $1`, [
      me.token.id,
    ]);
    for (let count = 0; count < 7; count++) await me.post('/ai/messages', MESSAGE);
    for (const path of LISTS) {
      const rows = await readAllPages(me.call, path, 3);
      const records = await readCsv(me.call, path);
      expect(rows.length).toBeGreaterThan(0);
      // What a spreadsheet would run is a text.
      const expected = rows.map((row) => asRecord(row)).map((row) => defused(row));
      expect(records).toEqual(expected);
      const ofAPage = `${path}${path.includes('?') ? '&' : '?'}limit=1&cursor=of_another_list`;
      expect(await readCsv(me.call, ofAPage)).toEqual(expected);
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => me.call(path, { method, headers: { accept: 'text/csv' } })),
      );
      const headers = ['content-type', 'content-disposition'].map((name) => head?.headers.get(name));
      expect(headers).toEqual([expect.stringContaining('text/csv'), expect.stringContaining('.csv"')]);
      expect(headers).toEqual(['content-type', 'content-disposition'].map((name) => get?.headers.get(name)));
      expect([head?.status, await head?.text(), await get?.text()]).toEqual([200, '', expect.stringContaining('\r\n')]);
    }
    expect((await readAllPages(me.call, '/ai/ledger')).length).toBeGreaterThan(8);
  });

  const defused = (row: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => [
        name,
        name === 'token_name' && text.startsWith('=') ? `'${text}` : text,
      ]),
    );

  it('can be asked for by day, token and model, and nobody else’s are found', async () => {
    const [me, other] = [await createAiCaller(ai), await createAiCaller(ai)];
    const second = await saveFakeToken(ai.api.superuser, me.customer.id, { name: 'second' });
    const add = (createdAt: string, model: string, tokenId: string | null, reservedAt?: string) =>
      saveFakeUsage(ai.api.superuser, me.customer.id, { createdAt, model, tokenId, reservedAt });
    const [january, midnight, june, july] = [
      await add('2026-01-10T12:00:00Z', 'a', me.token.id),
      // A minute into the day in Oslo, and reserved the day before.
      await add('2026-06-14T22:01:00Z', 'b', second.id, '2026-06-14T21:58:00Z'),
      await add('2026-06-15T12:00:00Z', 'a', second.id),
      await add('2026-07-20T12:00:00Z', 'b', me.token.id),
    ];
    await saveFakeUsage(ai.api.superuser, other.customer.id, { createdAt: '2026-06-15T12:00:00Z', model: 'a' });
    const ids = async (query: string) => (await readAllPages(me.call, `/ai/usage?${query}`, 1)).map(({ id }) => id);
    expect(await ids('')).toEqual([july.id, june.id, midnight.id, january.id]);
    expect(await ids('from=2026-06-15&to=2026-06-15')).toEqual([june.id, midnight.id]);
    expect(await ids('to=2026-06-14')).toEqual([january.id]);
    expect(await ids('from=2026-06-16')).toEqual([july.id]);
    expect(await ids(`token_id=${second.id}`)).toEqual([june.id, midnight.id]);
    expect(await ids(`token_id=${second.id.toUpperCase()}&model=a`)).toEqual([june.id]);
    expect(await ids('model=b')).toEqual([july.id, midnight.id]);
    expect(await ids('model=b&to=2026-06-30')).toEqual([midnight.id]);
    expect(await ids(`token_id=${other.token.id}`)).toEqual([]);
    expect(await ids('model=none')).toEqual([]);
    for (const from of ['0001-01-01', '1969-12-31', '2499-12-31', '9999-12-31'])
      expect(await ids(`from=${from}`)).toEqual(from < '2026' ? [july.id, june.id, midnight.id, january.id] : []);
    expect(await ids('to=9999-12-31')).toHaveLength(4);
  });

  it('are in the period of their charge, also if that came hours after the reservation', async () => {
    const me = await createAiCaller(ai);
    const late = await saveFakeUsage(ai.api.superuser, me.customer.id, {
      ...{ createdAt: '2026-07-01T08:00:00Z', reservedAt: '2026-06-30T12:00:00Z', model: 'late' },
    });
    for (const query of ['from=2026-07-01', 'from=2026-07-01&model=late'])
      expect((await readAllPages(me.call, `/ai/usage?${query}`)).map(({ id }) => id)).toEqual([late.id]);
    expect(await readAllPages(me.call, '/ai/usage?to=2026-06-30')).toEqual([]);
  });

  it('are in it too if the clock was set back between the two, over midnight', async () => {
    const me = await createAiCaller(ai);
    const early = await saveFakeUsage(ai.api.superuser, me.customer.id, {
      ...{ createdAt: '2026-06-30T21:59:50Z', reservedAt: '2026-06-30T22:00:30Z', model: 'early' },
    });
    for (const query of ['from=2026-06-30&to=2026-06-30', 'to=2026-06-30&model=early'])
      expect((await readAllPages(me.call, `/ai/usage?${query}`)).map(({ id }) => id)).toEqual([early.id]);
    expect(await readAllPages(me.call, '/ai/usage?from=2026-07-01')).toEqual([]);
  });

  it('add up by day, month, model and token', async () => {
    const me = await createAiCaller(ai);
    const second = await saveFakeToken(ai.api.superuser, me.customer.id, { name: 'second' });
    for (const [createdAt, model, tokenId, included, purchased] of [
      ['2025-12-31T22:59:59.999Z', 'a', me.token.id, '0.000000000001', '123456789012.123456789012'],
      ['2025-12-31T23:00:00Z', 'a', second.id, '0.1', '0'],
      ['2026-01-01T12:00:00Z', 'b', second.id, '0.2', '0.3'],
      ['2026-03-01T12:00:00Z', 'b', null, '0', '0'],
    ] as const)
      await saveFakeUsage(ai.api.superuser, me.customer.id, { createdAt, model, tokenId, included, purchased });
    const sums = async (query: string) =>
      (await readAllPages(me.call, `/ai/usage/summary?from=2025-01-01&to=2026-12-31&${query}`, 1)).map((sum) => [
        sum.day ?? sum.month ?? sum.model ?? sum.token,
        sum.calls,
        sum.cost,
      ]);
    const large = '123456789012.123456789013';
    expect(await sums('group_by=day')).toEqual([
      ['2026-03-01', 1, 0],
      ['2026-01-01', 2, '0.6'],
      ['2025-12-31', 1, large],
    ]);
    expect(await sums('group_by=month')).toEqual([
      ['2026-03', 1, 0],
      ['2026-01', 2, '0.6'],
      ['2025-12', 1, large],
    ]);
    expect(await sums('group_by=model')).toEqual([
      ['a', 2, '123456789012.223456789013'],
      ['b', 2, '0.5'],
    ]);
    expect(await sums('group_by=month&model=b')).toEqual([
      ['2026-03', 1, 0],
      ['2026-01', 1, '0.5'],
    ]);
    const byToken = await sums('group_by=token');
    expect(byToken[0]).toEqual([null, 1, 0]);
    expect(byToken).toContainEqual([{ id: second.id, name: 'second' }, 2, '0.6']);
    expect(await sums(`group_by=day&token_id=${second.id}`)).toEqual([['2026-01-01', 2, '0.6']]);
  });

  it('are summed by models of the longest names, page by page', async () => {
    const me = await createAiCaller(ai);
    const models = ['a', 'b', 'c'].map((end) => `${'m'.repeat(199)}${end}`);
    for (const model of models) await saveFakeUsage(ai.api.superuser, me.customer.id, { model });
    const sums = await readAllPages(me.call, '/ai/usage/summary?group_by=model&from=2020-01-01', 1);
    expect(sums.map(({ model }) => model)).toEqual(models);
  });

  it('are summed for the days of the first page on all pages, though the month ends between them', async () => {
    const me = await createAiCaller(ai);
    for (const createdAt of ['2030-11-10T12:00:00Z', '2030-11-20T12:00:00Z', '2030-11-30T23:00:10Z'])
      await saveFakeUsage(ai.api.superuser, me.customer.id, { createdAt });
    const read = async (query: string) => {
      const reply = await me.call(`/ai/usage/summary?group_by=day&limit=1${query}`);
      const { data, from, to, next_cursor: cursor } = (await reply.json()) as AiUsageSummaryPageDto;
      return { days: data.map(({ day }) => day), from, to, cursor };
    };
    await setDatabaseClock(ai.api.superuser, { standsAt: '2030-11-30T22:59:45Z' });
    const first = await read('');
    await setDatabaseClock(ai.api.superuser, { standsAt: '2030-11-30T23:00:15Z' });
    const second = await read(`&cursor=${first.cursor}`);
    const anew = await read('');
    await setDatabaseClock(ai.api.superuser, 'right');
    const november = { from: '2030-11-01', to: '2030-11-30' };
    expect(first).toMatchObject({ ...november, days: ['2030-11-20'] });
    expect(second).toEqual({ ...november, days: ['2030-11-10'], cursor: null });
    expect(anew).toEqual({ from: '2030-12-01', to: '2030-12-01', days: ['2030-12-01'], cursor: null });
  });

  it('have a ledger whose periods are complete when the clock went back over the end of a month', async () => {
    const me = await createAiCaller(ai, { included: 0 });
    const book = (at: string) =>
      ai.api.superuser.query(
        `insert into ai_ledger_entry (customer_id, id, sequence, kind, bucket, amount, balance_after, month, note, actor, created_at)
         select $1, (left(app.first_id($2)::text, 18) || right(gen_random_uuid()::text, 18))::uuid, coalesce(max(sequence), 0) + 1, 'refund',
           'purchased', 1, 0, '2026-06', $2, 'operator:test', $2 from ai_ledger_entry where customer_id = $1`,
        [me.customer.id, at],
      );
    const june = ['2026-06-30T21:50:00.000000Z', '2026-06-30T21:55:00.000000Z', '2026-06-30T21:58:30.000000Z'];
    const july = ['2026-06-30T22:05:00.000000Z', '2026-06-30T22:10:00.000000Z', '2026-06-30T22:30:00.000000Z'];
    for (const at of [june[0], july[0], july[1], june[1], june[2], july[2]]) await book(at!);
    const times = async (query: string) =>
      (await readAllPages(me.call, `/ai/ledger?kind=refund&${query}`, 2)).map(({ created_at: at }) => at);
    expect(await times('to=2026-06-30')).toEqual(june.toReversed());
    expect(await times('from=2026-07-01&to=2026-07-31')).toEqual(july.toReversed());
  });

  it('refuse what is no day, token, group or kind', async () => {
    const me = await createAiCaller(ai);
    for (const [path, pointer] of [
      ['/ai/usage?from=2026-02-31', '/from'],
      ['/ai/usage?from=2026-02-02&to=2026-02-01', '/to'],
      ['/ai/usage?token_id=1', '/token_id'],
      ['/ai/usage?token_id=a&token_id=b', '/token_id'],
      ['/ai/usage?model=', '/model'],
      ['/ai/usage?limit=201', '/limit'],
      ['/ai/usage/summary?group_by=customer', '/group_by'],
      ['/ai/usage/summary?from=2999-01-01', '/from'],
      ['/ai/ledger?kind=none', '/kind'],
      ['/ai/ledger?cursor=x', '/cursor'],
    ]) {
      const problem = await expectProblem(await me.call(path ?? ''), 400, 'invalid_request');
      expect([path, problem.errors?.map((error) => error.pointer)]).toEqual([path, [pointer]]);
    }
    await expectProblem(await me.call('/ai/usage/1'), 404, 'not_found');
    await expectProblem(await me.call('/ai/usage/0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10'), 404, 'not_found');
  });
});
