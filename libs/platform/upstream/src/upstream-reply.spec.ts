import { parseRetryAfter, UpstreamCallError } from './upstream-reply';

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
    const failure = { upstream: 'stripe', operation: 'invoices.list', reason: 'disconnected' as const, sent: true };
    expect(new UpstreamCallError({ ...failure, ...code }).message).toBe(message);
  });
});
