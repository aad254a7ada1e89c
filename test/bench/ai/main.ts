import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Checkout, checkoutsOf, THIS } from '../support/checkout';
import { compare, type Contestant, report } from '../support/compare';
import { startBenchDatabases } from '../support/database';
import { imageFlags } from '../support/image-flags';
import { readBenchOptions } from '../support/options';
import { type ServerProcess, startApi, startServerProcess } from '../support/server-process';
import { compareStreams } from './compare-streams';
import { type Api, otherStream, ours, ourStream, oursWithOwnHeader, PORTS, portkey, urlOf } from './contestants';
import { startPortkey } from './portkey';
import { seedAiCustomers } from './seed';
import { loadStreams } from './stream-load';
import { memoryPerStream } from './stream-memory';

const CUSTOMERS = 1_000;
const { against, seconds, rounds } = readBenchOptions({ seconds: 6, rounds: 3 });
const MANY = { connections: 64, seconds, rounds };
const WARM_UP_SECONDS = 10;
const OPEN_STREAMS = 1_000;
const LARGE_CREDIT = '1000000000';

/**
 * Messages and streams through the whole API, each reserved and settled durably, against a gateway that accounts for
 * nothing; messages with Idempotency-Keys against those without; the memory of open streams. With `--against`, each
 * against another checkout's API instead.
 */
async function main(): Promise<void> {
  const checkouts = checkoutsOf(against);
  const database = await startBenchDatabases(PORTS.database, checkouts);
  const stops: (() => Promise<void>)[] = [];
  try {
    stops.push(await startServerProcess(join(__dirname, 'instant-upstream.js'), { PORT: String(PORTS.upstream) }));
    const apis: (Api & { pid: number })[] = [];
    // All before the first server starts: while it waits for the other's rows it would become slower.
    const seeded: string[][] = [];
    for (const url of database.urls) seeded.push(await seedAiCustomers(url, CUSTOMERS));
    for (const [index, checkout] of checkouts.entries()) {
      const [url, tokens] = [database.urls[index], seeded[index]] as [string, string[]];
      const { pid, stop } = await startAiApi(checkout, url);
      stops.push(stop);
      apis.push({ name: nameOf(checkout), server: checkout === THIS ? 'api' : 'other', tokens, pid });
    }
    if (against === undefined) stops.push(await startPortkey(PORTS.portkey));
    // First: the memory that a process was given for another load it may keep, and use for the streams.
    for (const api of apis) await measureMemory(api);
    const one = apis.map((api) => ({ ...api, tokens: api.tokens.slice(0, 1) }));
    // A server runs for days: it is measured once its code has been compiled.
    await compare(contestants(apis), { ...MANY, seconds: WARM_UP_SECONDS * 2, rounds: 0 });
    const loads = [
      ['over 1,000 customers, 64 connections', apis, MANY],
      ['one customer, 64 connections', one, MANY],
      ['one call at a time', one, { ...MANY, connections: 1 }],
    ] as const;
    for (const [title, of, load] of loads) report(`POST /ai/messages, ${title}`, await compare(contestants(of), load));
    for (const [title, of] of [
      ['over 1,000 customers', apis],
      ['one customer', one],
    ] as const)
      report(
        `POST /ai/messages with Idempotency-Keys, ${title}, 64 connections`,
        await compare(keyedContestants(of), MANY),
      );
    process.stdout.write('\nStreams of 50 events, one customer, 64 at once\n');
    const others = against === undefined ? [otherStream('portkey')] : [];
    await compareStreams(otherStream('upstream'), [...one.map((api) => ourStream(api)), ...others], MANY);
  } finally {
    for (const stop of stops) await stop();
    await database.stop();
  }
}

function nameOf({ name }: Checkout): string {
  return against === undefined ? 'customer API (durable accounting)' : name;
}

/** The APIs, the one to compare with last; Portkey where there is only one. */
function contestants(apis: readonly Api[]): Contestant[] {
  const others = against === undefined ? [portkey(apis[0]?.tokens.length ?? 0)] : [];
  return [...apis.map((api) => ours(api)), ...others];
}

/** Calls with keys: against those of the other API, or against calls without. */
function keyedContestants([api, other]: readonly Api[]): Contestant[] {
  if (!api) return [];
  if (other) return [api, other].map((one) => oursWithOwnHeader(one.name, one, 'idempotency-key'));
  return [
    oursWithOwnHeader('with an Idempotency-Key each', api, 'idempotency-key'),
    oursWithOwnHeader('without', api, 'x-own'),
  ];
}

async function measureMemory(api: Api & { pid: number }): Promise<void> {
  await loadStreams(ourStream(api).request, 64, 1);
  const { request } = ourStream(api, true);
  // The first time V8 lets its young generation grow, by up to 64 kB for each stream, sooner or later.
  await memoryPerStream(api.pid, request, OPEN_STREAMS);
  const kb = await memoryPerStream(api.pid, request, OPEN_STREAMS);
  process.stdout.write(`\nMemory for each of ${OPEN_STREAMS} open streams, ${api.name}: ${kb?.toFixed(0)} kB\n`);
}

function startAiApi(checkout: Checkout, databaseUrl: string): Promise<ServerProcess> {
  const [port, internal] = checkout === THIS ? [PORTS.api, PORTS.internal] : [PORTS.other, PORTS.otherInternal];
  const settings = {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    INTERNAL_PORT: String(internal),
    ANTHROPIC_BASE_URL: urlOf('upstream'),
    ANTHROPIC_API_KEY: 'bench',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    // One customer alone may have half of them.
    AI_UPSTREAM_CONNECTIONS: String(2 * OPEN_STREAMS + 24),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_REQUESTS_PER_MINUTE: LARGE_CREDIT,
    RATE_LIMIT_AI_PER_MINUTE: LARGE_CREDIT,
    RATE_LIMIT_ADDRESS_PER_MINUTE: LARGE_CREDIT,
  };
  return startApi(checkout, settings, imageFlags(checkout));
}

void main();
