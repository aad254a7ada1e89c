import { ClsModule } from 'nestjs-cls';
import { Test, type TestingModule } from '@nestjs/testing';
import { CustomerContextService } from '@platform/context';
import { CsvTable } from '@platform/csv';
import { until } from '@test/until';
import { CsvExportsService, prefersCsv } from './csv-exports.service';

describe('a caller', () => {
  it.each([
    'text/csv',
    'TEXT/CSV',
    'text/csv; charset=utf-8',
    'text/csv, */*;q=0.1',
    'application/json;q=0.5, text/csv',
    'text/*',
    'text/csv, */*',
    'application/json, text/csv',
  ])('gets CSV for Accept: %s', (accept) => expect(prefersCsv(accept)).toBe(true));

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'text/csv;q=0',
    'text/csv;q=0.5, application/json',
    'text/csv;q=0.5, application/*',
    'text/*;q=0.3, */*;q=0.8',
    'text/html',
  ])('gets JSON for Accept: %s', (accept) => expect(prefersCsv(accept)).toBe(false));
});

describe('an export', () => {
  let module: TestingModule;
  beforeEach(async () => {
    const providers = [CsvExportsService, CustomerContextService];
    module = await Test.createTestingModule({ imports: [ClsModule], providers }).compile();
  });
  afterEach(() => module.close());
  const send = (portions: AsyncGenerator<object[]>, closed = new AbortController().signal, headersOnly = false) => {
    const reader = { headersOnly, closed };
    const parts = { reader, fileName: 'a', table: new CsvTable(['a']), portions, toDto: (row: object) => row };
    return module.get(CustomerContextService).run('customer', () => module.get(CsvExportsService).send(parts));
  };

  it('whose first rows cannot be read does not count any more', async () => {
    const failing = async function* (): AsyncGenerator<object[]> {
      yield await Promise.reject<object[]>(new Error('no rows'));
    };
    for (let time = 0; time < 3; time++) await expect(send(failing())).rejects.toThrow('no rows');
  });

  it('whose headers alone are wanted reads nothing and does not count', async () => {
    const read = jest.fn(() => [{}]);
    const begin = () =>
      send(
        (async function* () {
          yield await Promise.resolve(read());
        })(),
        undefined,
        true,
      );
    const streams = [await begin(), await begin(), await begin()].map((reply) => reply.getStream());
    expect(await Promise.all(streams.map((stream) => stream.toArray()))).toEqual([[], [], []]);
    expect(read).not.toHaveBeenCalled();
  });

  it('that is abandoned counts as long as its rows are being read', async () => {
    const gone = new AbortController();
    const reads: (() => void)[] = [];
    const begin = () => {
      const portions = (async function* () {
        yield await new Promise<object[]>((resolve) => reads.push(() => resolve([])));
      })();
      return send(portions, gone.signal);
    };
    const abandoned = [begin(), begin()];
    gone.abort();
    await expect(begin()).rejects.toThrow('2 exports in progress');
    for (const read of reads.splice(0)) read();
    const replies = await Promise.all(abandoned);
    await until(() => replies.every((reply) => reply.getStream().closed));
    const last = begin();
    for (const read of reads.splice(0)) read();
    await last;
  });

  it('that has ended makes room for one other', async () => {
    const begin = () =>
      send(
        (async function* () {
          yield await Promise.resolve([]);
        })(),
      );
    const streams = [await begin(), await begin()].map((reply) => reply.getStream());
    await expect(begin()).rejects.toThrow('2 exports in progress');
    streams[0]?.resume();
    await until(() => streams[0]?.closed === true);
    streams.push((await begin()).getStream());
    await expect(begin()).rejects.toThrow('2 exports in progress');
    for (const stream of streams) stream.destroy();
  });
});
