import { jsonAmount } from '@platform/money';
import { csvRecord, CsvTable } from './index';

describe('a CSV record', () => {
  it.each([
    [['a', 1, true, null, undefined], 'a,1,true,,\r\n'],
    [['a,b', 'a"b', 'a\nb', 'a\r\nb', ' a '], '"a,b","a""b","a\nb","a\r\nb", a \r\n'],
    [[''], '\r\n'],
    [[-1, { number: '-0.000000000001' }], '-1,-0.000000000001\r\n'],
  ])('of %j is quoted as RFC 4180 has it', (cells, record) => expect(csvRecord(cells)).toBe(record));

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠a'])(
    'runs nothing: %j',
    (text) => {
      expect(csvRecord([text]).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it.each([
    ['x;=cmd', `"x;'=cmd"`],
    ['x;"=cmd', `"x;""'=cmd"`],
    ['\t=1', `"'\t'=1"`],
    ['x|+1', `"x|'+1"`],
    ['x\t@a', `"x\t'@a"`],
    ['x\r\n-1', `"x\r\n'-1"`],
    ['=1;=2', `"'=1;'=2"`],
    [';;＝1', `";;'＝1"`],
    ['a; b = c - d|e', '"a; b = c - d|e"'],
  ])('runs nothing in a spreadsheet that splits elsewhere: %j', (text, cell) => {
    expect(csvRecord([text])).toBe(`${cell}\r\n`);
  });

  it('of a formula with a comma and quotes is a text of one cell', () => {
    expect(csvRecord(['=HYPERLINK("http://x","y")'])).toBe(`"'=HYPERLINK(""http://x"",""y"")"\r\n`);
  });
});

describe('a CSV table', () => {
  const table = new CsvTable(['id', 'token.name', 'prices.input', 'cost']);

  it('names members of members with underscores', () => {
    expect(table.head).toBe('id,token_name,prices_input,cost\r\n');
  });

  it('has the amounts of the JSON, digit by digit', () => {
    const cost = jsonAmount('123456789012.123456789012');
    expect(
      table.record({ id: 'a', token: { name: 'ERP, test' }, prices: { input: jsonAmount('10.500000') }, cost }),
    ).toBe('a,"ERP, test",10.5,123456789012.123456789012\r\n');
  });

  it('leaves the columns of a missing object empty', () => {
    expect(table.record({ id: 'a', token: null, prices: null, cost: 0 })).toBe('a,,,0\r\n');
  });
});
