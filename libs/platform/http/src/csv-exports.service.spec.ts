import { prefersCsv } from './csv-exports.service';

describe('a caller', () => {
  it.each([
    'text/csv',
    'TEXT/CSV',
    'text/csv; charset=utf-8',
    'text/csv, */*;q=0.1',
    'application/json;q=0.5, text/csv',
    'text/*',
    'application/json, text/csv',
  ])('gets CSV for Accept: %s', (accept) => expect(prefersCsv(accept)).toBe(true));

  it.each([undefined, '', '*/*', 'application/json', 'text/csv;q=0', 'text/csv;q=0.5, application/json', 'text/html'])(
    'gets JSON for Accept: %s',
    (accept) => expect(prefersCsv(accept)).toBe(false),
  );
});
