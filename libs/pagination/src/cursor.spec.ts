import { ServiceError } from '@app/errors';
import { decodeCursor, encodeCursor } from './cursor';

const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const TIME = '2026-11-20 08:00:00.123456+00';

describe('cursor', () => {
  it.each([
    [TIME, '12', 'integer' as const],
    ['2026-11-20 08:00:00+00', '999999999', 'integer' as const],
    ['2024-02-29 23:59:59.1+00', '0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10', 'uuid' as const],
    ['2026-11-20T08:00:00.000Z', '1', 'integer' as const],
  ])('comes back as it was: %s, %s', (createdAt, id, kind) => {
    expect(decodeCursor(encodeCursor({ createdAt, id }), kind)).toEqual({ createdAt, id });
  });

  it('can stand in an address as it is', () => {
    expect(encodeCursor({ createdAt: TIME, id: '12' })).toMatch(/^[\w-]{1,200}$/);
  });

  it.each([
    ['nothing', ''],
    ['a text', 'abc'],
    ['no base64', '!!!'],
    ['an object', forge({ createdAt: TIME, id: '1' })],
    ['one part', forge([TIME])],
    ['three parts', forge([TIME, '1', '2'])],
    ['null', forge(null)],
    ['numbers', forge([1, 2])],
    ['a UUID where a number stands', forge([TIME, '0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10'])],
    ['a number beyond the ids', forge([TIME, '2147483648'])],
    ['a negative number', forge([TIME, '-1'])],
    ['SQL', forge([TIME, '1) or true --'])],
    ['a day that is none', forge(['2026-02-31 00:00:00+00', '1'])],
    ['a leap day of another year', forge(['2025-02-29 00:00:00+00', '1'])],
    ['month 13', forge(['2026-13-01 00:00:00+00', '1'])],
    ['the year 0', forge(['0000-01-01 00:00:00+00', '1'])],
    ['hour 24', forge(['2026-01-01 24:00:00+00', '1'])],
    ['second 60', forge(['2026-01-01 00:00:60+00', '1'])],
    ['another zone', forge(['2026-01-01 00:00:00+99', '1'])],
    ['infinity', forge(['infinity', '1'])],
    ['now', forge(['now', '1'])],
    ['a time with a null character', forge([`${TIME}\0`, '1'])],
    ['nanoseconds', forge(['2026-01-01 00:00:00.123456789+00', '1'])],
  ])('refuses %s', (_name, text) => {
    expect(() => decodeCursor(text, 'integer')).toThrow(ServiceError);
  });

  it('names the parameter', () => {
    try {
      decodeCursor('x', 'uuid');
    } catch (error) {
      expect((error as ServiceError).options.errors).toEqual([{ pointer: '/cursor', detail: expect.any(String) }]);
    }
    expect.assertions(1);
  });
});
