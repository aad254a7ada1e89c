import { csvRecord, parseCsv } from './index';

const cells = (text: string) => parseCsv(text).map((one) => one.cells);

describe('CSV that spreadsheets write', () => {
  it.each([
    [
      'a,b\r\n1,2\r\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '\uFEFFa;b\n1;"x;y"',
      [
        ['a', 'b'],
        ['1', 'x;y'],
      ],
    ],
    [
      'a\tb\n1,5\t2',
      [
        ['a', 'b'],
        ['1,5', '2'],
      ],
    ],
    [
      'a,b\n"say ""hi""","two\nlines"\n\n,,\n3,',
      [
        ['a', 'b'],
        ['say "hi"', 'two\nlines'],
        ['3', ''],
      ],
    ],
    ['', []],
  ])('%j is read', (text, expected) => expect(cells(text)).toEqual(expected));

  it('knows on which line a record begins', () => {
    expect(parseCsv('a,b\n"x\ny",1\n\n2,3').map(({ line }) => line)).toEqual([1, 2, 5]);
  });

  it.each(['a\n"open', 'a,b\n"x"y,1'])('%j is none', (text) => expect(() => parseCsv(text)).toThrow('Line 2'));

  it('reads what we write', () => {
    const record = ['a,b', 'say "hi"', 'two\r\nlines', ''];
    expect(cells(`w,x,y,z\r\n${csvRecord(record)}`)[1]).toEqual(record);
  });

  it('says of a large file too that a quote does not end, and reads a large cell', () => {
    const large = 'x'.repeat(9_000_000);
    expect(() => parseCsv(`a,b\n"${large},2\n`)).toThrow('Line 2: a quote does not end');
    expect(parseCsv(`a,b\n"${large}",2\n`)[1]?.cells).toEqual([large, '2']);
  });
});
