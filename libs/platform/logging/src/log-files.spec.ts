import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, rmdir, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { until } from '@test/until';
import { findInLogFiles, LogFile, tidyLogFiles } from './log-files';

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

describe('log files', () => {
  let folder = '';
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'log-files-'))));
  afterEach(() => rm(folder, { recursive: true }));

  /** A file of a day, last written an hour ago. */
  async function former(ago: number, text: string): Promise<void> {
    const path = join(folder, `replica-${day(ago)}.jsonl`);
    await writeFile(path, text);
    const written = new Date(Date.now() - 3_600_000);
    await utimes(path, written, written);
  }

  it('get the lines of a process, a file for each day, after those that are there', async () => {
    const log = new LogFile(folder);
    log.write('{"a":1}\n');
    log.write('{"b":2}\n{"c":3}\n');
    const text = async () => {
      const [name] = await readdir(folder);
      return name === undefined ? '' : readFile(join(folder, name), 'utf8');
    };
    await until(async () => (await text()) === '{"a":1}\n{"b":2}\n{"c":3}\n');
    new LogFile(folder).write('{"d":4}\n');
    await until(async () => (await text()) === '{"a":1}\n{"b":2}\n{"c":3}\n{"d":4}\n');
    expect(await readdir(folder)).toEqual([expect.stringMatching(new RegExp(`-${day(0)}\\.jsonl$`))]);
  });

  it('that cannot be written disturb nobody', async () => {
    const gone = join(folder, 'gone');
    await mkdir(gone);
    await rm(gone, { recursive: true });
    const log = new LogFile(gone);
    for (let n = 0; n < 100; n++) log.write(`${'x'.repeat(100_000)}\n`);
    await new Promise(setImmediate);
    log.write('x\n');
    expect(await readdir(folder)).toEqual([]);
  });

  it('leave the last room of a disk to others', async () => {
    let share = 0.04;
    const log = new LogFile(folder, () => Promise.resolve(share));
    log.write('{"first":1}\n');
    await new Promise(setImmediate);
    log.write(`${'x'.repeat(1 << 20)}\n`);
    share = 0.06;
    log.write(`${'x'.repeat(1 << 20)}\n`);
    await new Promise(setImmediate);
    log.write('{"last":1}\n');
    const [name = ''] = await readdir(folder);
    await until(async () => (await readFile(join(folder, name), 'utf8')).includes('last'));
    expect(await readFile(join(folder, name), 'utf8')).toBe('{"first":1}\n{"last":1}\n');
  });

  it('go on after a while when the disk has room again, however little is written', async () => {
    let share = 0.04;
    const log = new LogFile(folder, () => Promise.resolve(share));
    log.write('{"first":1}\n');
    await new Promise(setImmediate);
    share = 0.06;
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 10_000);
    log.write('{"dropped":1}\n');
    clock.mockRestore();
    await new Promise(setImmediate);
    log.write('{"last":1}\n');
    const [name = ''] = await readdir(folder);
    await until(async () => (await readFile(join(folder, name), 'utf8')) === '{"first":1}\n{"last":1}\n');
  });

  it('of former days are compressed, and deleted when they are old; others are left alone', async () => {
    await former(1, '{"a":1}\n');
    await former(14, '{"b":2}\n');
    await former(15, '{"c":3}\n');
    await writeFile(join(folder, `busy-${day(1)}.jsonl`), '{"d":4}\n');
    // Its process goes on writing into it, however long it has not.
    await former(0, '{"e":5}\n');
    await writeFile(join(folder, 'notes.txt'), 'of somebody');
    expect(await tidyLogFiles(folder, 14)).toBe(1);
    expect((await readdir(folder)).sort()).toEqual(
      [
        `busy-${day(1)}.jsonl`,
        `replica-${day(0)}.jsonl`,
        `replica-${day(1)}.jsonl.gz`,
        `replica-${day(14)}.jsonl.gz`,
        'notes.txt',
      ].sort(),
    );
    expect(gunzipSync(await readFile(join(folder, `replica-${day(1)}.jsonl.gz`))).toString()).toBe('{"a":1}\n');
  });

  it('are deleted and compressed even if one cannot be compressed', async () => {
    // Read in the order of their names.
    const file = (name: string, ago: number) => join(folder, `${name}-${day(ago)}.jsonl`);
    await former(1, '{"a":1}\n');
    await rename(file('replica', 1), file('a', 1));
    await mkdir(join(`${file('a', 1)}.gz`, 'in the way'), { recursive: true });
    for (const name of ['b', 'c']) {
      await former(1, '{"b":2}\n');
      await rename(file('replica', 1), file(name, 1));
    }
    await former(15, '{"c":3}\n');
    await expect(tidyLogFiles(folder, 14)).rejects.toThrow('1 log files could not be compressed');
    const left = [file('a', 1), `${file('a', 1)}.gz`, `${file('b', 1)}.gz`, `${file('c', 1)}.gz`];
    expect((await readdir(folder)).sort()).toEqual(left.map((path) => basename(path)));
    await rm(`${file('a', 1)}.gz`, { recursive: true });
    expect(await tidyLogFiles(folder, 14)).toBe(0);
    expect(gunzipSync(await readFile(`${file('a', 1)}.gz`)).toString()).toBe('{"a":1}\n');
  });

  it('are searched from the newest day on, compressed ones too', async () => {
    await former(1, '{"request_id":"r1","n":1}\n{"request_id":"r2","n":2}\n');
    await former(2, '{"request_id":"r1","n":3}\n');
    await writeFile(join(folder, `replica-${day(0)}.jsonl`), '{"request_id":"r3","n":4}\n{"request_id":"r3","n":');
    await tidyLogFiles(folder, 14);
    const found = (id: string, days = 14, most = 10) => findInLogFiles(folder, `"request_id":"${id}"`, { days, most });
    expect(await found('r1')).toEqual([{ request_id: 'r1', n: 1 }]);
    expect(await found('r3')).toEqual([{ request_id: 'r3', n: 4 }]);
    expect(await found('r9')).toEqual([]);
    expect(await found('r1', 0)).toEqual([]);
  });

  it('are searched no longer than anybody waits', async () => {
    await former(1, '{"request_id":"r1"}\n{"request_id":"r1"}\n');
    const search = { days: 14, most: 10 };
    const gone = findInLogFiles(folder, '"request_id":"r1"', {
      ...search,
      signal: AbortSignal.abort(new Error('gone')),
    });
    await expect(gone).rejects.toThrow('gone');
    const open = async () => (await Promise.all((await readdir('/proc/self/fd')).map(pathOf))).join();
    const pathOf = (descriptor: string) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '');
    expect(await findInLogFiles(folder, '"request_id":"r1"', { ...search, most: 1 })).toHaveLength(1);
    await until(async () => !(await open()).includes(folder));
  });

  it.each([
    ['compressed', [1, 1]],
    ['deleted', [1]],
  ])('are searched though they are %s meanwhile', async (change, lines) => {
    const paths = ['a', 'b'].map((name) => join(folder, `${name}-${day(1)}.jsonl`));
    for (const path of paths) await writeFile(path, '{"request_id":"r1","n":1}\n');
    // The search asks it at each line: at the first one the other file changes.
    const signal = Object.assign(new AbortController().signal, {
      throwIfAborted: () => {
        for (const path of paths.splice(0)) {
          if (change === 'compressed') writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)));
          rmSync(path);
        }
      },
    });
    const found = await findInLogFiles(folder, '"request_id":"r1"', { days: 14, most: 10, signal });
    expect(found.map(({ n }) => n)).toEqual(lines);
  });

  it('are searched once if they are there compressed as well', async () => {
    const path = join(folder, `replica-${day(1)}.jsonl`);
    await writeFile(path, '{"request_id":"r1"}\n');
    await writeFile(`${path}.gz`, gzipSync('{"request_id":"r1"}\n'));
    expect(await findInLogFiles(folder, '"request_id":"r1"', { days: 14, most: 10 })).toHaveLength(1);
  });

  it('that cannot be read end the search, not the process', async () => {
    const path = join(folder, `replica-${day(1)}.jsonl.gz`);
    const search = () => findInLogFiles(folder, '"request_id":"r1"', { days: 14, most: 1 });
    await mkdir(path);
    await expect(search()).rejects.toThrow('EISDIR');
    await rmdir(path);
    await writeFile(path, 'no gzip');
    await expect(search()).rejects.toThrow('incorrect header check');
    // One that is left before its end.
    const noise = randomBytes(1 << 20).toString('base64');
    await writeFile(path, gzipSync(`{"request_id":"r1"}\n${noise}`));
    expect(await search()).toHaveLength(1);
  });

  it('are searched past a line that a killed process has left, and its successor has gone on with', async () => {
    const lines = [
      '{"request_id":"r1","ms":{"request_id":"r1","n":1}',
      '{"request_id":"r1","n":2}',
      '"request_id":"r1"}',
    ];
    await writeFile(join(folder, `replica-${day(0)}.jsonl`), lines.map((line) => `${line}\n`).join(''));
    const found = await findInLogFiles(folder, '"request_id":"r1"', { days: 14, most: 10 });
    expect(found).toEqual([{ request_id: 'r1', n: 2 }]);
  });
});
