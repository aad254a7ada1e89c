import { readFileSync } from 'node:fs';
import { fieldNames } from '@platform/http';
import { expectProblem } from '@test/expect-problem';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { LISTS } from '../../apps/customer-api/src/request-pipeline.module';

const ALL = [
  '/services',
  '/invoices',
  '/ai/credit-requests',
  '/support/tickets',
  '/sms/log',
  '/status',
  '/ai/usage',
  '/ai/usage/summary',
  '/ai/ledger',
  '/webhooks/endpoints',
  '/webhooks/deliveries',
];
const HELLO = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };
const SMS = { to: '+4790000000', message: 'Hello' };
const CURSOR = 'to get the next page, send the next_cursor of this page as cursor';

interface OpenApi {
  paths: Record<string, { get?: { parameters?: { in: string; name: string }[] } }>;
}

describe('Input that is ignored', () => {
  let full: FullApi;
  let me: Awaited<ReturnType<typeof createFullCaller>>;
  beforeAll(async () => {
    full = await startFullApi();
    me = await createFullCaller(full);
  });
  afterAll(() => full.stop());

  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    me.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const chargedCalls = async () => {
    const { rows } = await full.api.superuser.query('select from ai_usage where customer_id = $1', [me.customer.id]);
    return rows.length;
  };

  it('is judged by the queries of all lists', () => {
    const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenApi;
    const documented = Object.values(paths).flatMap(({ get }) => get?.parameters ?? []);
    const names = documented.flatMap((parameter) => (parameter.in === 'query' ? parameter.name : []));
    expect(new Set(LISTS.flatMap(fieldNames))).toEqual(new Set(names));
  });

  it.each([...ALL, '/events'])('is refused where a program would read the first page of %s forever', async (path) => {
    for (const [query, detail] of [
      ['page=2', `page is not known here: ${CURSOR}`],
      ['page=0', `page is not known here: ${CURSOR}`],
      ['page=1&page=2', `page is not known here: ${CURSOR}`],
      ['offset=50', `offset is not known here: ${CURSOR}`],
      ['next_cursor=x', `next_cursor is not known here: ${CURSOR}`],
    ] as const) {
      const problem = await expectProblem(await me.call(`${path}?${query}`), 400, 'invalid_request');
      expect(problem.detail).toBe(detail);
      expect(problem.errors).toEqual([{ pointer: `/${query.split('=', 1)[0]}`, detail }]);
    }
    expect((await me.call(`${path}?page=1&offset=0&next_cursor=`)).status).toBe(200);
  });

  it.each([
    ['/invoices?status[]=open', 'status can be given only once, without brackets: status=…'],
    ['/sms/log?status%5B0%5D=failed', 'status can be given only once, without brackets: status=…'],
    ['/services?cursor[]=x', 'cursor can be given only once, without brackets: cursor=…'],
    [
      '/invoices?kind=usage',
      'kind is not a filter of this list; its filters are status, issue_date_from, issue_date_to, created_after, created_before',
    ],
    [
      '/sms/log?issue_date_from=2026-01-01',
      'issue_date_from is not a filter of this list; its filters are status, created_after, created_before',
    ],
    [
      '/ai/ledger?token_id=1',
      'token_id is not a filter of this list; its filters are kind, from, to, created_after, created_before',
    ],
    [
      '/ai/usage?status=paid',
      'status is not a filter of this list; its filters are token_id, model, from, to, created_after, created_before',
    ],
    [
      '/ai/usage/summary?created_after=2026-01-01T00:00:00Z',
      'created_after is not a filter of this list; its filters are group_by, token_id, model, from, to',
    ],
  ])('is refused where everything would be returned: %s', async (path, detail) => {
    const problem = await expectProblem(await me.call(path), 400, 'invalid_request');
    const parts = (text: string) => new Set(text.split(/, | it has /));
    expect(parts(problem.detail)).toEqual(parts(detail));
  });

  it('is refused where a key would protect nothing', async () => {
    const before = await chargedCalls();
    for (const [path, body] of [
      ['/ai/messages', HELLO],
      ['/ai/v1/messages', HELLO],
      ['/support/tickets', { title: 'A', body: 'B' }],
      ['/sms/send', SMS],
    ] as const) {
      const { detail } = (await (await post(path, body, { 'x-idempotency-key': 'mine' })).json()) as { detail: string };
      expect(detail).toBe('Send the header Idempotency-Key instead of X-Idempotency-Key, which has no effect');
    }
    expect(await chargedCalls()).toBe(before);
    // With both the request is protected; a count has nothing to protect.
    const both = await post('/ai/messages', HELLO, { 'x-idempotency-key': 'mine', 'idempotency-key': 'mine' });
    expect(both.status).toBe(201);
    expect((await post('/ai/v1/messages/count_tokens', HELLO, { 'x-idempotency-key': 'mine' })).status).toBe(200);
  });

  it.each(['/ai/messages', '/ai/v1/messages'])('is refused where no stream would come from %s', async (path) => {
    for (const stream of ['true', 1, {}, []]) {
      const reply = await post(path, { ...HELLO, stream });
      expect(await reply.json()).toMatchObject({ status: 400, detail: 'stream must be true or false' });
    }
  });

  it.each([
    ['/ai/messages', { ...HELLO, maxTokens: 5, maxToken: 1, temperature: 1 }, 'maxTokens, maxToken'],
    ['/ai/messages', { ...HELLO, max_token: 5 }, 'max_token'],
    ['/support/tickets', { title: 'A', body: 'B', serviceId: 1, Priority: 'high' }, 'serviceId, Priority'],
    ['/ai/credit-requests', { amount_nok: 100, referense: 'x', 'no\nte': 'x' }, 'referense, no%0Ate'],
    ['/sms/send', { ...SMS, messages: 'x', ['m\ud800essage']: 'x' }, 'messages'],
  ])('is named in a POST to %s that succeeds all the same: %j', async (path, body, named) => {
    const key = { 'idempotency-key': crypto.randomUUID() };
    const first = await post(path, body, key);
    expect([first.status, first.headers.get('x-ignored')]).toEqual([201, named]);
    const again = await post(path, body, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('x-ignored')).toBe(named);
  });

  it('is named up to a length that every proxy takes', async () => {
    const name = (at: number) => `title${'題'.repeat(54)}${at}`;
    const names = Array.from({ length: 10 }, (_, at) => [name(at), 'x']);
    const reply = await post('/support/tickets', { title: 'A', body: 'B', ...Object.fromEntries(names) });
    const named = [name(0), name(1), name(2), name(3)].map(encodeURIComponent);
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([201, named.join(', ')]);
    expect([...named, name(4)].join(', ').length).toBeGreaterThan(2000);
  });

  it.each([
    ['/ai/messages', { message: HELLO.messages }, 'message'],
    ['/ai/messages', { messages: [], maxTokens: 5 }, 'maxTokens'],
    ['/support/tickets', { titel: 'A', body: 'B' }, 'titel'],
  ])('is named in a POST to %s that is refused for another fault, or for its lack: %j', async (path, body, named) => {
    const reply = await post(path, body);
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([400, named]);
  });

  it.each([
    ['/invoices?per_page=10&PageSize=5', 'per_page, PageSize'],
    ['/sms/log?createdAfter=2026-01-01T00:00:00Z&Limit=1', 'createdAfter, Limit'],
    ['/ai/usage?modell=x', 'modell'],
  ])('is named in a list: %s', async (path, named) => {
    const reply = await me.call(path);
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([200, named]);
  });

  it.each([
    ['/ai/messages', { ...HELLO, model: 'theirs', customer_id: 'x', customerId: 'y', tools: [], system: null }],
    ['/sms/send', { ...SMS, from: 'Me', sender: 'Me', sender_id: 'Me', customerNumber: '1' }],
    ['/support/tickets', { title: 'A', body: 'B', customer_id: 'x', CustomerID: 'x', 'customer-number': 'y' }],
  ])('is silent by the rules of the interface: POST %s', async (path, body) => {
    const reply = await post(path, body);
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([201, null]);
  });

  it.each([
    [49, 'max_token'],
    [50, null],
  ])('is looked for among 50 fields: behind %i others of no meaning it is named as %s', async (count, named) => {
    const others = Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, 1]));
    const reply = await post('/ai/messages', { ...HELLO, ...others, max_token: 5 });
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([201, named]);
  });

  it('is not what the AI provider takes, or what counts as not given', async () => {
    const body = {
      ...{ ...HELLO, max_tokens: 2000, model: 'theirs', metadata: { user_id: 'x' }, max_token: null, betas: [] },
      ...{
        thinking: { type: 'enabled', budget_tokens: 1024 },
        tools: [{ name: 'a', input_schema: { type: 'object' } }],
      },
    };
    const reply = await post('/ai/v1/messages', body);
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([200, null]);
  });

  it('is silent by the rules of the interface: queries', async () => {
    const reply = await me.call('/invoices?customer_id=x&customerId=y&CUSTOMER=z&utm=1');
    expect([reply.status, reply.headers.get('x-ignored')]).toEqual([200, null]);
  });

  it.each(['/ai/usage', '/ai/ledger'])('is no moment: %s has created_after and created_before', async (path) => {
    const caller = await createFullCaller(full);
    const send = (content: string) =>
      caller.call('/ai/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...HELLO, messages: [{ role: 'user', content }] }),
      });
    for (const content of ['One', 'Two', 'Three']) await send(content);
    const read = async (query: string, accept = 'application/json') => {
      const reply = await caller.call(`${path}?${query}`, { headers: { accept } });
      return accept === 'text/csv' ? reply.text() : ((await reply.json()) as { data: { created_at: string }[] }).data;
    };
    const kind = path === '/ai/ledger' ? 'kind=usage&' : '';
    const whole = (await read(kind)) as { created_at: string }[];
    const [newest, middle, oldest] = whole.map(({ created_at }) => created_at) as [string, string, string];
    const times = async (query: string) =>
      ((await read(`${kind}${query}`)) as { created_at: string }[]).map(({ created_at }) => created_at);
    expect(await times(`created_after=${middle}`)).toEqual([newest, middle]);
    expect(await times(`created_before=${middle}`)).toEqual([oldest]);
    expect(await times(`created_after=${middle}&created_before=${newest}`)).toEqual([middle]);
    expect(((await read(`${kind}created_before=${middle}`, 'text/csv')) as string).trim().split('\r\n')).toHaveLength(
      2,
    );
  });
});
