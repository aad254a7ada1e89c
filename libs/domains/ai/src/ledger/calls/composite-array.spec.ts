import { useTestDatabase } from '@test/use-test-database';
import { compositeArray } from './composite-array';

const database = useTestDatabase();

describe('an array of composite values', () => {
  it.each([
    ['plain text', 'upstream 529'],
    ['nothing', null],
    ['empty text', ''],
    ['quotes and backslashes', `"a" \\"b\\" 'c' \\\\`],
    ['what composite values and arrays are made of', '(a,b){c,d} NULL'],
    ['spaces at both ends, a line break, a tab', ' a\n\tb '],
    ['text beyond ASCII', 'blåbær 🫐'],
  ])('brings %s to the database as it is', async (_name, reason) => {
    const rows = [
      [1, '00000000-0000-4000-8000-000000000001', null, 'released', reason],
      [2, '00000000-0000-4000-8000-000000000002', null, null, 'b'],
    ] as const;
    const read = await database.superuser.query('select * from unnest($1::app.ai_release_request[])', [
      compositeArray(rows),
    ]);
    expect(read.rows.map((row: object) => Object.values(row))).toEqual(rows);
  });

  it('may be empty', async () => {
    const { rows } = await database.superuser.query('select * from unnest($1::app.ai_release_request[])', [
      compositeArray([]),
    ]);
    expect(rows).toEqual([]);
  });
});
