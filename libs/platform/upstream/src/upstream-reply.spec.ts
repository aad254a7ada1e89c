import { parseRetryAfter, UpstreamCallError, UpstreamReply } from './upstream-reply';

const CALL = { upstream: 'stripe', operation: 'invoices.list' };
const reply = (status: number, body: string, headers: Record<string, string> = {}) =>
  new UpstreamReply(CALL, status, headers, Buffer.from(body));
/** The error that a reader throws. */
function thrown(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}

describe('a reply', () => {
  it.each([
    [200, true],
    [299, true],
    [300, false],
    [404, false],
  ])('of status %d is one that can be used: %p', (status, ok) => expect(reply(status, '').ok).toBe(ok));

  it('is read as UTF-8', () => {
    expect(reply(200, 'abc').text()).toBe('abc');
    expect(reply(200, '{"a":"Tromsø €"}').json()).toEqual({ a: 'Tromsø €' });
  });

  it('has an object or none', () => {
    expect(reply(200, '{"a":1}').requireJsonObject()).toEqual({ a: 1 });
    expect(reply(400, '{"a":1}').jsonObject()).toEqual({ a: 1 });
    for (const body of ['[1]', 'null', '7', '"secret"']) {
      expect(reply(400, body).jsonObject()).toBeUndefined();
      expect(thrown(() => reply(200, body).requireJsonObject())).toMatchObject({
        reason: 'unexpected',
        sent: true,
        message: 'stripe invoices.list: the reply is not in the documented format (200 NO_OBJECT)',
      });
    }
    expect(reply(400, '<secret>').jsonObject()).toBeUndefined();
    expect(thrown(() => reply(200, '<secret>').requireJsonObject())).toMatchObject({
      reason: 'not_json',
      message: 'stripe invoices.list: the reply is not JSON (200)',
    });
  });

  it('that refuses is an error with its status and the pause that it asks for, and does not show what it says', () => {
    const refusal = reply(429, '{"error":"secret"}', { 'retry-after': '5' });
    const error = refusal.refused();
    expect(error).toMatchObject({ reason: 'status', status: 429, sent: true, retryAfterMs: 5000 });
    expect(error.message).toBe('stripe invoices.list: it refused the request (429)');
    expect(error.reply).toBe(refusal);
    expect(Object.keys(error)).not.toContain('reply');
    expect(reply(500, '').refused().retryAfterMs).toBeUndefined();
  });
});

describe('parseRetryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 3600 ', 3_600_000],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
  ])('reads %s', (header, expected) => expect(parseRetryAfter(header, now)).toBe(expected));

  it.each([
    undefined,
    '',
    '3601',
    '86400000',
    '9'.repeat(400),
    '-1',
    '1.5',
    '1e3',
    '0x10',
    '5, 10',
    'soon',
    'Thu, 01 Jan 2026 02:00:00 GMT',
    'Fri, 01 Jan 2100 00:00:00 GMT',
    'Thu, 99 Foo 2026 00:00:00 GMT',
    '2026-01-01T00:01:00Z',
  ])('counts %p as absent', (header) => expect(parseRetryAfter(header, now)).toBe(undefined));
});

describe('the error of a call', () => {
  it.each([
    [{ code: 'ECONNRESET' }, 'stripe invoices.list: the connection ended before a reply (ECONNRESET)'],
    [{}, 'stripe invoices.list: the connection ended before a reply'],
  ])('says the upstream, the operation, the reason and the code: %j', (code, message) => {
    const failure = { ...CALL, reason: 'disconnected' as const, sent: true };
    expect(new UpstreamCallError({ ...failure, ...code }).message).toBe(message);
  });
});
