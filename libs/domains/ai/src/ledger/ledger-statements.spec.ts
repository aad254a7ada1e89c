import { useTestDatabase } from '@test/use-test-database';
import { compositeArray } from './ledger-statements';

const database = useTestDatabase();

describe('an array of composite values', () => {
  it.each([
    ['plain text', 'upstream 529'],
    ['nothing', null],
    ['the word null', 'null'],
    ['an id', 'msg_01.a:b~c+d/e=f@g-h'],
    ['empty text', ''],
    ['quotes and backslashes', `"a" \\"b\\" 'c' \\\\`],
    ['the delimiters of composite values and arrays', '(a,b){c,d} NULL'],
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

  it('brings bytes to the database', async () => {
    const bytes = Buffer.from([0, 0x22, 0x5c, 0xff]);
    const request = [null, 1, 'none', 1, 1, true, null, null, bytes, null];
    const { rows } = await database.superuser.query<{ hash: Buffer; may_shorten: boolean }>(
      'select key_hash as hash, may_shorten from unnest($1::app.ai_reservation_request[])',
      [compositeArray([request])],
    );
    expect(rows).toEqual([{ hash: bytes, may_shorten: true }]);
  });

  it('may be empty', async () => {
    const { rows } = await database.superuser.query('select * from unnest($1::app.ai_release_request[])', [
      compositeArray([]),
    ]);
    expect(rows).toEqual([]);
  });
});
