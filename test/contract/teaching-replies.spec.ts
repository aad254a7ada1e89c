import { expectProblem } from '@test/expect-problem';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { saveFakeToken } from '@test/factories/service-token.factory';
import { generateToken, hashToken } from '@platform/tokens';

const HELLO = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 };
const HOW = 'Send a service token in the header Authorization: Bearer cas_live_…';
const ASK = 'ask the operator for a new one';
const UUID_ID = 'There is no such id: an id is a UUID, such as 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11';
const NUMBER_ID = 'There is no such id: an id is a whole number, such as 17';
const BASE =
  "Set the base address of the AI provider's SDKs to …/api/v1/ai, and that of @ai-sdk/anthropic to …/api/v1/ai/v1";
const similar = (path: string) => `There is nothing at this address; did you mean /api/v1/ai/v1${path}?`;
const SEND_TO = 'send messages to /api/v1/ai/v1/messages';

describe('A reply that teaches', () => {
  let full: FullApi;
  let me: Awaited<ReturnType<typeof createFullCaller>>;
  beforeAll(async () => {
    full = await startFullApi();
    me = await createFullCaller(full);
  });
  afterAll(() => full.stop());

  const post = (path: string, body: object | string, headers: Record<string, string> = {}) =>
    me.call(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const detailOf = async (reply: Response | Promise<Response>) =>
    ((await (await reply).json()) as { detail: string }).detail;

  it.each([
    ["{'title':'A'}", 'see line 1, column 2'],
    ['{\n  "title": "A",\n  "body": B\n}', 'see line 3, column 11'],
    ['{\n  "title": "Blåbær 🫐", oops', 'see line 2, column 24'],
    ['{"title":"A",}', 'see line 1, column 14'],
    ['{"title":"A', 'it ends too early, at line 1, column 12'],
    ['{"title":"A"}\n}', 'see line 2, column 1'],
  ])('says where the JSON is wrong: %s', async (body, place) => {
    for (const path of ['/support/tickets', '/ai/messages'])
      expect(await detailOf(post(path, body))).toBe(`The body is not valid JSON: ${place}`);
  });

  it.each([
    ['/invoices/10042', UUID_ID],
    ['/sms/log/1', UUID_ID],
    ['/support/tickets/abc', UUID_ID],
    ['/ai/usage/msg_01', UUID_ID],
    ['/ai/credit-requests/abc', NUMBER_ID],
    ['/ai/credit-requests/0x1', NUMBER_ID],
    ['/ai/credit-requests/1e0', NUMBER_ID],
    ['/ai/credit-requests/+1', NUMBER_ID],
    ['/ai/credit-requests/%201', NUMBER_ID],
    ['/ai/credit-requests/01', NUMBER_ID],
  ])('says which form an id has: %s', async (path, detail) => {
    await post('/ai/credit-requests', { amount_nok: 100, reference: 'the first' });
    expect((await expectProblem(await me.call(path), 404, 'not_found')).detail).toBe(detail);
  });

  it('says where X-Api-Key is accepted', async () => {
    const { token } = me.token;
    const reply = await fetch(`${full.api.baseUrl}/ai`, { headers: { 'x-api-key': token } });
    const { detail } = await expectProblem(reply, 401, 'unauthorized');
    expect(detail).toBe(`${HOW}; X-Api-Key is accepted below /api/v1/ai/v1 only`);
  });

  it('tells an expired token from a deactivated and an unknown one, and from that of a deactivated customer', async () => {
    const { superuser } = full.api;
    const other = await createFullCaller(full);
    await superuser.query('update customer set active = false where id = $1', [other.customer.id]);
    for (const [token, detail] of [
      [
        (await saveFakeToken(superuser, me.customer.id, { expiresAt: new Date('2026-01-01') })).token,
        `The token has expired; ${ASK}`,
      ],
      [(await saveFakeToken(superuser, me.customer.id, { active: false })).token, `The token was deactivated; ${ASK}`],
      [other.token.token, 'Your account is deactivated, and none of its tokens is accepted; ask the operator'],
      [generateToken(), `The token is unknown on this server; copy it again, or ${ASK}`],
    ] as const) {
      const reply = await fetch(`${full.api.baseUrl}/customer`, { headers: { authorization: `Bearer ${token}` } });
      expect((await expectProblem(reply, 401, 'unauthorized')).detail).toBe(detail);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
    // Replicas of version 1.0 know no such customers.
    const asked = await superuser.query('select app.token_refusal($1) as reason', [hashToken(other.token.token)]);
    expect(asked.rows).toEqual([{ reason: 'deactivated' }]);
  });

  it.each([
    ['/invoices?status=open&status=paid', 'status can be given only once'],
    ['/ai/usage?model=a&model=b', 'model can be given only once'],
    ['/ai/usage?token_id=a&token_id=b', 'token_id can be given only once'],
    ['/services?cursor=a&cursor=b', 'cursor can be given only once'],
    ['/services?limit=1&limit=2', 'limit can be given only once'],
  ])('says that a parameter is given twice: %s', async (path, detail) => {
    expect((await expectProblem(await me.call(path), 400, 'invalid_request')).detail).toBe(detail);
  });

  it.each(['/api/v1', '/api/v1/', '/api', '/', '/v1'])('points from %s to the documentation', async (path) => {
    const reply = await fetch(`${full.api.origin}${path}`);
    const { detail } = await expectProblem(reply, 404, 'not_found');
    expect(detail).toBe('There is nothing at this address; /docs lists the operations');
  });

  it.each([
    ['/api/v1/v1/messages', BASE],
    ['/v1/messages', BASE],
    ['/api/v1/ai/v1/v1/messages', BASE],
    ['/api/v1/v1/models', BASE],
    ['/api/v1/v1/messages/count_tokens', BASE],
    ['/api/v1/ai/v1/messages/', similar('/messages')],
    ['/api/v1/ai/v1/messages/count_tokens/', similar('/messages/count_tokens')],
    ['/api/v1/ai/v1/models/', similar('/models')],
    ['/api/v1/ai/v1/messages/batches', `Message batches are not available here; ${SEND_TO}`],
    ['/api/v1/ai/v1/messages/batches/msgbatch_1/results', `Message batches are not available here; ${SEND_TO}`],
    ['/api/v1/ai/v1/files', `Files are not available here; ${SEND_TO}`],
    ['/api/v1/ai/v1/skills', `Skills are not available here; ${SEND_TO}`],
    ['/api/v1/ai/v1/complete', `Completions are not available here; ${SEND_TO}`],
    ['/api/v1/ai/v1/chat/completions', `Completions are not available here; ${SEND_TO}`],
  ])('knows what an SDK looks for at %s', async (path, detail) => {
    expect(await detailOf(fetch(`${full.api.origin}${path}`, { method: 'POST' }))).toBe(detail);
  });

  it.each([
    [{ ...HELLO, maxTokens: 5 }, 'maxTokens is not known here; did you mean max_tokens?'],
    [{ ...HELLO, prompt: 'Hi' }, 'prompt is not known here; did you mean messages?'],
    [{ ...HELLO, stopSequences: [1] }, 'stopSequences is not known here; did you mean stop_sequences?'],
    [{ ...HELLO, colour: 'red' }, 'colour is not known here; leave it out'],
    [
      { ...HELLO, betas: ['x'] },
      'betas belongs to a beta of the AI provider, which is not available here; leave it out',
    ],
    [{ ...HELLO, mcp_servers: [{}] }, 'mcp_servers is not available here; leave it out'],
  ])('names the field that was meant on /ai/v1: %j', async (body, detail) => {
    const reply = await post('/ai/v1/messages', body);
    expect([reply.status, await detailOf(reply)]).toEqual([400, detail]);
  });

  it.each([
    ['/support/tickets', '{"title":"A","body":"B","title":"C"}', '/title', 'title'],
    ['/sms/send', '{"to":"+4790000000","to":"+4790000001","message":"A"}', '/to', 'to'],
    ['/ai/credit-requests', '{"amount_nok":100,"x":[{"a":1},{"b":{"c":1,"c":2}}]}', '/x/1/b/c', 'c'],
    ['/ai/credit-requests', '{"amount_nok":100,"amount\\u005fnok":200}', '/amount_nok', 'amount_nok'],
    ['/ai/messages', '{"messages":[],"other":1,"other":2}', '/other', 'other'],
  ])('refuses a name that is given twice: POST %s %s', async (path, body, pointer, name) => {
    const problem = await expectProblem(await post(path, body), 400, 'invalid_request');
    expect(problem.errors).toContainEqual({ pointer, detail: `${name} is given twice` });
  });

  it('describes the first of many names that are given twice, however deep they stand', async () => {
    const name = '/~'.repeat(60);
    const innermost = `{${Array<string>(100).fill('"a":1').join(',')}}`;
    const body = `{"x":${`{"${name}":`.repeat(90)}${innermost}${'}'.repeat(90)}}`;
    const spentMs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const before = process.cpuUsage();
      for (let count = 0; count < 4; count++) {
        const { errors } = await expectProblem(await post('/support/tickets', body), 400, 'invalid_request');
        expect(errors).toHaveLength(1);
      }
      const { user, system } = process.cpuUsage(before);
      spentMs.push((user + system) / 1000);
    }
    // To describe all of them takes ten times as long. The least: in one round garbage of former spec files may be collected.
    expect(Math.min(...spentMs)).toBeLessThan(80);
  });

  it('takes a system of null and an empty list of servers as absent', async () => {
    for (const path of ['/ai/messages', '/ai/v1/messages'])
      expect((await post(path, { ...HELLO, system: null, mcp_servers: [], betas: [], stream: null })).ok).toBe(true);
  });

  it.each(['+4722000000', '+442079460000'])('says that %s is a landline', async (to) => {
    const { detail } = await expectProblem(await post('/sms/send', { to, message: 'Hi' }), 400, 'invalid_request');
    expect(detail).toBe('to is a landline number: SMS are not sent to such numbers');
  });

  it('refuses a key that was used for a stream and comes with a request for JSON', async () => {
    const key = { 'idempotency-key': 'stream-or-not' };
    const stream = await post('/ai/messages', HELLO, { ...key, accept: 'text/event-stream' });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    await stream.text();
    const refused = await post('/ai/messages', HELLO, key);
    const { detail } = await expectProblem(refused, 422, 'idempotency_key_reused');
    expect(detail).toBe('You have used this Idempotency-Key for another request in the last 24 hours');
    const again = await post('/ai/messages', HELLO, { ...key, accept: 'text/event-stream' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});
