import { ServiceError } from '@platform/errors';
import { decodeCursor, encodeCursor, listMark } from './cursors';

const forge = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const LIST = listMark('things', ['open']);
const TIME = '2026-11-20 08:00:00.123456+00';

describe('cursor', () => {
  it.each([
    [TIME, '12', 'integer' as const],
    ['2026-11-20 08:00:00+00', '999999999', 'integer' as const],
    ['2024-02-29 23:59:59.1+00', '0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10', 'uuid' as const],
    ['2026-11-20T08:00:00.000Z', '1', 'integer' as const],
  ])('decodes to the same value: %s, %s', (createdAt, id, kind) => {
    expect(decodeCursor(encodeCursor({ createdAt, id }, LIST), kind, LIST)).toEqual({ createdAt, id });
  });

  it('needs no escaping in an address', () => {
    expect(encodeCursor({ createdAt: TIME, id: '12' }, LIST)).toMatch(/^[\w-]{1,200}$/);
  });

  it.each([
    ['nothing', ''],
    ['a text', 'abc'],
    ['no base64', '!!!'],
    ['an object', forge({ createdAt: TIME, id: '1' })],
    ['one part', forge([TIME])],
    ['two parts', forge([TIME, '1'])],
    ['four parts', forge([TIME, '1', LIST, ''])],
    ['no mark', forge([TIME, '1', null])],
    ['the mark of another list', forge([TIME, '1', listMark('others', ['open'])])],
    ['the mark of other filters', forge([TIME, '1', listMark('things', [null])])],
    ['null', forge(null)],
    ['numbers', forge([1, 2])],
    ['a UUID where a number stands', forge([TIME, '0d9f1c1e-58a8-4c0b-9a55-0a4f6d1f7c10', LIST])],
    ['a number beyond the ids', forge([TIME, '2147483648', LIST])],
    ['a negative number', forge([TIME, '-1', LIST])],
    ['SQL', forge([TIME, '1) or true --', LIST])],
    ['a day that is none', forge(['2026-02-31 00:00:00+00', '1', LIST])],
    ['a leap day of another year', forge(['2025-02-29 00:00:00+00', '1', LIST])],
    ['month 13', forge(['2026-13-01 00:00:00+00', '1', LIST])],
    ['the year 0', forge(['0000-01-01 00:00:00+00', '1', LIST])],
    ['hour 24', forge(['2026-01-01 24:00:00+00', '1', LIST])],
    ['second 60', forge(['2026-01-01 00:00:60+00', '1', LIST])],
    ['another zone', forge(['2026-01-01 00:00:00+99', '1', LIST])],
    ['infinity', forge(['infinity', '1', LIST])],
    ['now', forge(['now', '1', LIST])],
    ['a time with a null character', forge([`${TIME}\0`, '1', LIST])],
    ['nanoseconds', forge(['2026-01-01 00:00:00.123456789+00', '1', LIST])],
  ])('refuses %s', (_name, text) => {
    expect(() => decodeCursor(text, 'integer', LIST)).toThrow(ServiceError);
  });

  it('is refused in words that tell another list from a text that is no cursor', () => {
    const other = encodeCursor({ createdAt: TIME, id: '12' }, listMark('things', ['closed']));
    expect(() => decodeCursor(other, 'integer', LIST)).toThrow('another list or other filters');
    expect(() => decodeCursor('x', 'integer', LIST)).toThrow('sent back as it is');
  });

  it('has one mark for a filter that is left out, however', () => {
    expect(listMark('things', [undefined])).toBe(listMark('things', [null]));
    expect(listMark('things', [undefined])).not.toBe(listMark('things', []));
  });

  it('names the parameter', () => {
    try {
      decodeCursor('x', 'uuid', LIST);
    } catch (error) {
      expect((error as ServiceError).options.errors).toEqual([{ pointer: '/cursor', detail: expect.any(String) }]);
    }
    expect.assertions(1);
  });
});
