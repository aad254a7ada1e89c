import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { type DestinationStream, pino } from 'pino';

const DAY_MS = 86_400_000;
/** A process writes into the file of a former day no more when it has not for so long. */
const QUIET_MS = 600_000;
/** Text that waits for the disk: above it lines are dropped from the file, not from standard output. */
const MOST_WAITING = 4 << 20;
/** Share of the disk that is left to others, such as the database: with less, lines are dropped from the file. */
const LEFT_FREE = 0.05;
/** The disk is looked at whenever so much text has come. */
const LOOK_EVERY = 1 << 20;
/** Without room, it is also looked at when the last look was so long ago: a quiet program has no such text. */
const LOOK_AGAIN_MS = 10_000;
const NAME = /^.+-(\d{4}-\d\d-\d\d)\.jsonl(\.gz)?$/;

/**
 * A copy of the log that outlives the container of its process: a file for each host and day of UTC in `LOG_DIRECTORY`, such as
 * `3f0c1d9e7d2a-2027-01-31.jsonl`. A disk that is nearly full costs lines of the file and nothing else.
 */
export class LogFile implements DestinationStream {
  private file?: ReturnType<typeof pino.destination>;
  private day = 0;
  private hasRoom = true;
  private unseen = 0;
  private lookedAt = 0;

  /** @param freeShare the share of the folder's disk that is free */
  constructor(
    private readonly directory: string,
    private readonly freeShare = shareOfDisk,
  ) {
    process.once('exit', () => this.end());
    // Opened before there is anything to write: nothing that is written at the exit would wait for that.
    this.begin(dayOf(Date.now()));
  }

  write(lines: string): void {
    const now = Date.now();
    const day = dayOf(now);
    if (day !== this.day) this.begin(day);
    this.unseen += lines.length;
    const looksAgain = !this.hasRoom && now - this.lookedAt >= LOOK_AGAIN_MS;
    if (this.unseen >= LOOK_EVERY || looksAgain) this.lookAtDisk();
    if (this.hasRoom) this.file?.write(lines);
  }

  private lookAtDisk(): void {
    this.unseen = 0;
    this.lookedAt = Date.now();
    this.freeShare(this.directory).then(
      (share) => (this.hasRoom = share >= LEFT_FREE),
      () => undefined,
    );
  }

  private begin(day: number): void {
    this.file?.end();
    this.day = day;
    const name = `${hostname()}-${dayText(day * DAY_MS)}.jsonl`;
    this.file = pino.destination({ dest: join(this.directory, name), sync: false, maxLength: MOST_WAITING });
    this.file.on('error', () => undefined);
    this.lookAtDisk();
  }

  private end(): void {
    try {
      this.file?.flushSync();
    } catch {
      // Not opened yet, or no room: standard output has the lines.
    }
  }
}

async function shareOfDisk(directory: string): Promise<number> {
  const { bavail, blocks } = await statfs(directory);
  return blocks === 0 ? 1 : bavail / blocks;
}

/**
 * Deletes the files that are older than so many days, and compresses those of former days.
 * @returns how many were deleted @throws AggregateError if some could not be compressed, after all others
 */
export async function tidyLogFiles(directory: string, days: number): Promise<number> {
  const now = Date.now();
  const [today, oldest] = [dayText(now), dayText(now - days * DAY_MS)];
  const files = await filesIn(directory);
  // First, since a full disk has no room for compressed files before.
  const old = files.filter(({ day }) => day < oldest);
  for (const { path } of old) await rm(path, { force: true });
  const faults: unknown[] = [];
  for (const { path, day, compressed } of files) {
    if (compressed || day < oldest || day >= today) continue;
    try {
      if (now - (await stat(path)).mtimeMs > QUIET_MS) await compress(path);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} log files could not be compressed`);
  return old.length;
}

async function compress(path: string): Promise<void> {
  const made = `${path}.gz.new`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(made));
    await rename(made, `${path}.gz`);
  } catch (error) {
    await rm(made, { force: true });
    throw error;
  }
  await rm(path);
}

/**
 * The lines that have this text, parsed: those of the newest day that has any.
 * @param days how many days back @param most longest list @param signal ends the search: there may be gigabytes
 */
export async function findInLogFiles(
  directory: string,
  text: string,
  { days, most, signal }: { days: number; most: number; signal?: AbortSignal },
): Promise<Record<string, unknown>[]> {
  const oldest = dayText(Date.now() - days * DAY_MS);
  const all = await filesIn(directory);
  const paths = new Set(all.map(({ path }) => path));
  // While a file is being compressed, or when that was interrupted, its lines are there twice.
  const isTwin = ({ path, compressed }: NamedFile) => compressed && paths.has(path.slice(0, -'.gz'.length));
  const files = all.filter((file) => file.day >= oldest && !isTwin(file));
  const newestFirst = [...new Set(files.map(({ day }) => day))].sort().reverse();
  for (const day of newestFirst) {
    const found: Record<string, unknown>[] = [];
    for (const file of files.filter((one) => one.day === day)) {
      const input = await textOf(file);
      if (!input) continue;
      try {
        for await (const line of createInterface({ input })) {
          signal?.throwIfAborted();
          const fields = line.includes(text) ? parsed(line) : undefined;
          if (fields) found.push(fields);
          if (found.length >= most) return found;
        }
      } finally {
        // One that is not read to its end stays open otherwise.
        input.destroy();
      }
    }
    if (found.length > 0) return found;
  }
  return [];
}

/** The text of a file; undefined if it was deleted meanwhile. One that was compressed meanwhile is read under its new name. */
async function textOf({ path, compressed }: Pick<NamedFile, 'path' | 'compressed'>): Promise<Readable | undefined> {
  try {
    const file = (await open(path)).createReadStream();
    if (!compressed) return file;
    const text = createGunzip();
    // `pipe` would leave errors of the file to nobody, and the process would end. The reader of the text gets them.
    pipeline(file, text).catch(() => undefined);
    return text;
  } catch (error) {
    if (!(Error.isError(error) && 'code' in error && error.code === 'ENOENT')) throw error;
    return compressed ? undefined : textOf({ path: `${path}.gz`, compressed: true });
  }
}

/** The fields of a line; undefined if a process was killed before its end: the next one goes on with the same line. */
function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

interface NamedFile {
  path: string;
  /** As `2027-01-31`. */
  day: string;
  compressed: boolean;
}

async function filesIn(directory: string): Promise<NamedFile[]> {
  const found = (await readdir(directory)).map((name) => NAME.exec(name)).filter((match) => match !== null);
  return found.map(([name, day = '', compressed]) => ({
    path: join(directory, name),
    day,
    compressed: compressed !== undefined,
  }));
}

function dayOf(moment: number): number {
  return Math.floor(moment / DAY_MS);
}

function dayText(moment: number): string {
  return new Date(moment).toISOString().slice(0, 10);
}
