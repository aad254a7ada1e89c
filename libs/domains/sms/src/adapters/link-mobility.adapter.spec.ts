import { linkResult } from './link-mobility.adapter';

describe('linkResult', () => {
  it.each([
    [1005, 'accepted', null],
    [1000, 'sent', null],
    [1008, 'sent', null],
    [1010, 'sent', null],
    [1011, 'sent', null],
    [1012, 'sent', null],
    [1001, 'delivered', null],
    [1007, 'delivered', null],
    [1002, 'failed', 'expired'],
    [1003, 'failed', 'not_delivered'],
    [1004, 'failed', 'recipient_unavailable'],
    [1006, 'failed', 'not_delivered'],
    [1009, 'failed', 'not_delivered'],
    [2000, 'failed', 'invalid_sender'],
    [2102, 'failed', 'invalid_recipient'],
    [2105, 'failed', 'recipient_blocked'],
    [2106, 'failed', 'invalid_recipient'],
    [2107, 'failed', 'recipient_unavailable'],
    [2201, 'failed', 'recipient_blocked'],
    [3001, 'failed', 'invalid_content'],
    [4001, 'failed', 'invalid_content'],
    [106101, 'failed', 'gateway_refused_account'],
    [106200, 'failed', 'gateway_refused_account'],
    [106301, 'failed', 'gateway_refused_account'],
  ])('reads %d as %s (%s)', (code, status, errorCode) => expect(linkResult(code)).toEqual({ status, errorCode }));

  it.each([0, 1, 4, 5, 1013, 1500, 2999, 5000, 9999, 106000, 106400, 1_000_000, -1, 1001.5])(
    'takes nothing for certain by %d',
    (code) => expect(linkResult(code)).toEqual({ status: 'unknown', errorCode: 'gateway_error' }),
  );
});
