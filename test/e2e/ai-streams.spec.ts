import { type AiApi, createAiCaller, startAiApi } from '@test/ai-api';
import { balancesOf } from '@test/ai.fixture';
import { TimeShares } from '@platform/fairness';

describe('A streamed AI message', () => {
  let ai: AiApi;
  beforeAll(async () => (ai = await startAiApi()));
  afterAll(() => ai.stop());
  afterEach(() => ai.sandbox.reset());

  const hello = (text = 'Hello') => ({ messages: [{ role: 'user', content: text }], max_tokens: 50, stream: true });
  const balances = (customerId: string) => balancesOf(ai.api.superuser, customerId);

  it.each([
    ['/ai/messages', 201],
    ['/ai/v1/messages', 200],
  ])('of %s comes byte for byte as the provider sends it, and is charged', async (path, status) => {
    const { post, customer } = await createAiCaller(ai);
    const events =
      'event: message_start\r\ndata: {"message":{"usage":{"input_tokens":3,"output_tokens":1}}}\r\n\r\n: æ\n\n';
    const end =
      'event: message_delta\ndata: {"usage":{"output_tokens":2,"input_tokens":null}}\n\nevent: message_stop\ndata: {}\n\n';
    ai.sandbox.messages.script({
      reply: { body: events + end, headers: { 'content-type': 'text/event-stream', 'request-id': 'req_mine' } },
    });
    const charge = jest.spyOn(TimeShares.prototype, 'charge');
    const reply = await post(path, hello());
    expect(reply.status).toBe(status);
    expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(reply.headers.get('x-accel-buffering')).toBe('no');
    expect(reply.headers.get('request-id')).toBe(reply.headers.get('x-request-id'));
    expect(await reply.text()).toBe(events + end);
    // A piece of some bytes.
    const isPiece = ([party, ms]: [string, number]) => party === customer.id && ms > 0.02 && ms < 0.03;
    expect(charge.mock.calls.some(isPiece)).toBe(true);
    charge.mockRestore();
    expect(await balances(customer.id)).toMatchObject({ usage: 0.013, reserved: 0 });
    const { rows } = await ai.api.superuser.query(
      'select request_id, input_tokens, output_tokens from ai_usage where customer_id = $1',
      [customer.id],
    );
    expect(rows).toEqual([{ request_id: 'req_mine', input_tokens: 3, output_tokens: 2 }]);
    expect(JSON.parse(ai.sandbox.messages.requests[0]!.body.toString())).toMatchObject({
      stream: true,
      max_tokens: 50,
    });
  });

  it.each([
    ['text/event-stream', true],
    ['text/event-stream, application/json;q=0.5', true],
    ['text/event-stream;q=0.5, application/json', false],
    ['application/json, text/event-stream', false],
    ['text/event-stream;q=0', false],
    ['text/event-stream, */*', true],
    ['text/event-stream;q=0.5, */*', false],
    ['*/*', false],
  ])('is what Accept: %s asks for: %s', async (accept, isStream) => {
    const { post } = await createAiCaller(ai);
    const reply = await post('/ai/messages', { ...hello(), stream: undefined }, { headers: { accept } });
    expect(reply.status).toBe(201);
    const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
    expect(reply.headers.get('content-type')).toBe(type);
    const body = await reply.text();
    expect(isStream ? body.endsWith('data: {"type":"message_stop"}\n\n') : JSON.parse(body)).toEqual(
      isStream ? true : expect.objectContaining({ type: 'message' }),
    );
  });
});
