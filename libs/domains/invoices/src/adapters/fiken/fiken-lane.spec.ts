import { clientSettings, isDatabaseUnavailable } from '@platform/database';
import { waitForLocks } from '@test/locks';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { useTestDatabase } from '@test/use-test-database';
import { FikenLaneService } from './fiken-lane.service';

jest.setTimeout(240_000);

const database = useTestDatabase();

describe('The lane to Fiken, when the database stops responding', () => {
  let proxy: TcpProxy;
  const lanes: FikenLaneService[] = [];
  const { signal } = new AbortController();

  beforeAll(async () => {
    proxy = await startTcpProxy(Number(new URL(database.url).port));
  });
  afterEach(() => {
    for (const lane of lanes.splice(0)) lane.onApplicationShutdown();
  });
  afterAll(async () => {
    await proxy.close();
  });

  /** The lane as another process has it. */
  function laneOver(port: number | string): FikenLaneService {
    const url = new URL(database.url);
    url.port = String(port);
    const client = { ...clientSettings(database.config, 'customer_api'), connectionString: url.href };
    const lane = new FikenLaneService({ client, size: 1 });
    lanes.push(lane);
    return lane;
  }
  const pass = (lane: FikenLaneService) => lane.use('sync', { signal }, () => Promise.resolve('had it'));
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: unknown) => (isDatabaseUnavailable(error) ? 'the database is away' : error),
    );

  it('is lost by its owner, rejected for waiting calls, and available to others; both can get it again', async () => {
    const [holder, waiter] = [laneOver(proxy.port), laneOver(proxy.port)];
    const begun = Promise.withResolvers<void>();
    const held = failure(
      holder.use('sync', { signal }, (lane) => {
        begun.resolve();
        return new Promise((_, reject) => lane.addEventListener('abort', () => reject(lane.reason as Error)));
      }),
    );
    await begun.promise;
    const waiting = failure(pass(waiter));
    await waitForLocks(database.superuser, 1);
    expect(proxy.stall()).toBe(2);
    const other = pass(laneOver(new URL(database.url).port));
    expect(await Promise.all([held, waiting])).toEqual(['the database is away', 'the database is away']);
    expect(await Promise.all([other, pass(holder), pass(waiter)])).toEqual(['had it', 'had it', 'had it']);
  });

  it('is lost by its owner as soon as the server ends its session, and can be had again', async () => {
    const lane = laneOver(new URL(database.url).port);
    const begun = Promise.withResolvers<void>();
    const held = failure(
      lane.use('sync', { signal }, (lost) => {
        begun.resolve();
        return new Promise((_, reject) => lost.addEventListener('abort', () => reject(lost.reason as Error)));
      }),
    );
    await begun.promise;
    const { rowCount } = await database.superuser.query(
      `select pg_terminate_backend(pid) from pg_locks
       where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
    );
    expect(rowCount).toBe(1);
    expect([await held, await pass(lane)]).toEqual(['the database is away', 'had it']);
  });

  it('is given up by a process that ends, and had by another', async () => {
    const [ending, other] = [laneOver(new URL(database.url).port), laneOver(new URL(database.url).port)];
    const begun = Promise.withResolvers<void>();
    const held = failure(
      ending.use('sync', { signal }, (lost) => {
        begun.resolve();
        return new Promise((_, reject) => lost.addEventListener('abort', () => reject(lost.reason as Error)));
      }),
    );
    await begun.promise;
    const waiting = pass(other);
    await waitForLocks(database.superuser, 1);
    ending.onApplicationShutdown();
    expect([await held, await waiting]).toEqual(['the database is away', 'had it']);
  });

  it('can be waited for longer than a statement may take, as long as the database responds', async () => {
    const [holder, waiter] = [laneOver(proxy.port), laneOver(proxy.port)];
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = holder.use('sync', { signal }, () => {
      begun.resolve();
      return done.promise;
    });
    await begun.promise;
    const waiting = pass(waiter);
    await waitForLocks(database.superuser, 1);
    // Three waits of the server that ended without the lock.
    for (let seen = 0, at = ''; seen < 3;) {
      const { rows } = await database.superuser.query<{ at: string }>(
        `select query_start::text as at from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query_start::text <> $1`,
        [at],
      );
      if (rows[0]) [seen, at] = [seen + 1, rows[0].at];
      else await new Promise((resolve) => setTimeout(resolve, 50));
    }
    done.resolve();
    expect([await held, await waiting]).toEqual([undefined, 'had it']);
  });
});

describe('The lane to Fiken, while PDFs are requested all the time', () => {
  const lanes: FikenLaneService[] = [];
  afterEach(() => {
    for (const lane of lanes.splice(0)) lane.onApplicationShutdown();
  });
  const newLane = () => {
    const lane = new FikenLaneService({ client: clientSettings(database.config, 'customer_api'), size: 1 });
    lanes.push(lane);
    return lane;
  };
  const { signal } = new AbortController();
  /** More than would be fetched within the test's time. */
  const MOST = 200;

  it.each([
    ['the process that fetches them', (lane: FikenLaneService) => [lane, lane]],
    // Of two processes one waits for a PDF while the other fetches one.
    ['a process beside two that fetch them', (lane: FikenLaneService) => [newLane(), newLane(), lane]],
  ])('is had by syncs of %s too, and by PDFs in between', async (_, lanesOf) => {
    const [pdfs, ...others] = lanesOf(newLane()) as [FikenLaneService, FikenLaneService];
    const syncs = others.at(-1) ?? pdfs;
    const had: string[] = [];
    let left = 3;
    /** Requests one PDF after the other. */
    const reader = async (lane: FikenLaneService) => {
      while (left > 0 && had.length < MOST) {
        await lane.use('pdf', { signal }, () => new Promise<void>((resolve) => setTimeout(resolve, 50)));
        had.push('pdf');
      }
    };
    const sync = async () => {
      await syncs.use('sync', { signal }, () => Promise.resolve(had.push('sync')));
      left--;
    };
    const readers = [reader(pdfs), reader(pdfs), reader(others[0])];
    await Promise.all([sync(), sync(), sync()]);
    await Promise.all(readers);
    expect(had.length).toBeLessThan(MOST);
    // All three are overdue at the same time: a PDF goes between two of one process.
    if (syncs === pdfs) expect(had.join(' ')).toMatch(/^(pdf )+sync (pdf )+sync (pdf )+sync/);
  });

  it('is not waited for longer than a PDF may, nor by one whose reader is gone: no request is made, and the next has its turn', async () => {
    const lane = newLane();
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = lane.use('sync', { signal }, () => {
      begun.resolve();
      return done.promise;
    });
    await begun.promise;
    const made: string[] = [];
    const take = (name: string, options: { signal: AbortSignal; waitMs?: number }) =>
      lane.use('pdf', options, () => Promise.resolve(made.push(name)));
    const gone = new AbortController();
    const left = expect(take('gone', { signal: gone.signal })).rejects.toThrow('The reader is gone');
    const late = expect(take('late', { signal, waitMs: 50 })).rejects.toMatchObject({ retryAfterMs: 5_000 });
    const next = take('next', { signal, waitMs: 20_000 });
    gone.abort(new Error('The reader is gone'));
    await expect(take('never', { signal: gone.signal })).rejects.toThrow('The reader is gone');
    await Promise.all([left, late]);
    done.resolve();
    await Promise.all([held, next]);
    expect(made).toEqual(['next']);
  });

  it('is had by PDFs before syncs that came first and have not waited for long, in each process and over all', async () => {
    const [own, syncing, reading] = [newLane(), newLane(), newLane()];
    const had: string[] = [];
    const take = (lane: FikenLaneService, urgency: 'pdf' | 'sync') =>
      lane.use(urgency, { signal }, () => Promise.resolve(had.push(urgency)));
    for (const lane of [syncing, reading]) await take(lane, 'sync');
    const [begun, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = own.use('pdf', { signal }, () => {
      begun.resolve();
      return done.promise;
    });
    await begun.promise;
    const syncs = [take(own, 'sync'), take(syncing, 'sync')];
    const pdfs = [take(own, 'pdf'), take(reading, 'pdf')];
    await waitForLocks(database.superuser, 1);
    done.resolve();
    await Promise.all([held, ...syncs, ...pdfs]);
    expect(had.slice(2)).toEqual(['pdf', 'pdf', 'sync', 'sync']);
  });
});
