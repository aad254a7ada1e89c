import { ClsModule } from 'nestjs-cls';
import { Test } from '@nestjs/testing';
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
    'application/json, text/csv',
  ])('gets CSV for Accept: %s', (accept) => expect(prefersCsv(accept)).toBe(true));

  it.each([undefined, '', '*/*', 'application/json', 'text/csv;q=0', 'text/csv;q=0.5, application/json', 'text/html'])(
    'gets JSON for Accept: %s',
    (accept) => expect(prefersCsv(accept)).toBe(false),
  );
});

describe('an export that is abandoned', () => {
  it('counts as long as its rows are being read', async () => {
    const module = await Test.createTestingModule({
      imports: [ClsModule],
      providers: [CsvExportsService, CustomerContextService],
    }).compile();
    const exports = module.get(CsvExportsService);
    const gone = new AbortController();
    const reads: (() => void)[] = [];
    const begin = () => {
      const portions = (async function* () {
        yield await new Promise<object[]>((resolve) => reads.push(() => resolve([])));
      })();
      const [table, toDto] = [new CsvTable(['a']), (row: object) => row];
      const parts = { fileName: 'a', table, portions, toDto, closed: gone.signal };
      return module.get(CustomerContextService).run('customer', () => exports.send(parts));
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
    await module.close();
  });
});
