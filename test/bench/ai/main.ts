import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { compare, type Load, report } from '../support/compare';
import { startBenchDatabase } from '../support/database';
import { imageFlags } from '../support/image-flags';
import { startServer, startServerProcess } from '../support/server-process';
import { compareStreams } from './compare-streams';
import { otherStream, ours, ourStream, oursWithOwnHeader, PORTS, portkey, urlOf } from './contestants';
import { startPortkey } from './portkey';
import { seedAiCustomers } from './seed';
import { loadStreams } from './stream-load';
import { memoryPerStream } from './stream-memory';

const CUSTOMERS = 1_000;
const SECONDS = Number(process.argv[2] ?? 6);
const MANY = { connections: 64, seconds: SECONDS, rounds: 3 };
const WARM_UP_SECONDS = 10;
const OPEN_STREAMS = 1_000;
const LARGE_CREDIT = '1000000000';

/**
 * Messages and streams through the whole API, each reserved and settled durably, against a gateway that accounts for
 * nothing; messages with Idempotency-Keys against those without; the memory of open streams.
 */
async function main(): Promise<void> {
  const database = await startBenchDatabase(PORTS.database);
  const stops: (() => Promise<void>)[] = [];
  try {
    const tokens = await seedAiCustomers(database.url, CUSTOMERS);
    const [token = ''] = tokens;
    stops.push(await startServerProcess(join(__dirname, 'instant-upstream.js'), { PORT: String(PORTS.upstream) }));
    const api = await startApi(database.url);
    stops.push(api.stop, await startPortkey(PORTS.portkey));
    // First: what a process has been given for another load it may keep, and use for the streams.
    await loadStreams(ourStream(token).request, 64, 1);
    const kb = await memoryPerStream(api.pid, ourStream(token, true).request, OPEN_STREAMS);
    process.stdout.write(`\nMemory of the API for each of ${OPEN_STREAMS} open streams: ${kb?.toFixed(0)} kB\n`);
    // A server runs for days: it is measured once its code has been compiled.
    await compare([ours(tokens), portkey(CUSTOMERS)], { ...MANY, seconds: WARM_UP_SECONDS * 2, rounds: 0 });
    await compareMessages('over 1,000 customers, 64 connections', tokens, MANY);
    await compareMessages('one customer, 64 connections', [token], MANY);
    await compareMessages('one call at a time', [token], { ...MANY, connections: 1 });
    for (const [title, of] of [
      ['over 1,000 customers', tokens],
      ['one customer', [token]],
    ] as const)
      report(
        `POST /ai/messages with Idempotency-Keys, ${title}, 64 connections`,
        await compare([oursWithOwnHeader(of, 'idempotency-key'), oursWithOwnHeader(of, 'x-own')], MANY),
      );
    process.stdout.write('\nStreams of 50 events, one customer, 64 at once\n');
    await compareStreams(otherStream('upstream'), [ourStream(token), otherStream('portkey')], MANY);
  } finally {
    for (const stop of stops) await stop();
    await database.stop();
  }
}

function startApi(databaseUrl: string) {
  const settings = {
    DATABASE_URL: databaseUrl,
    PORT: String(PORTS.api),
    INTERNAL_PORT: String(PORTS.internal),
    ANTHROPIC_BASE_URL: urlOf('upstream'),
    ANTHROPIC_API_KEY: 'bench',
    SECRETS_KEY: randomBytes(32).toString('base64'),
    AI_UPSTREAM_CONNECTIONS: String(OPEN_STREAMS + 24),
    LOG_LEVEL: 'warn',
    RATE_LIMIT_REQUESTS_PER_MINUTE: LARGE_CREDIT,
    RATE_LIMIT_AI_PER_MINUTE: LARGE_CREDIT,
    RATE_LIMIT_ADDRESS_PER_MINUTE: LARGE_CREDIT,
  };
  return startServer(join(__dirname, '../../../apps/customer-api/src/main.js'), settings, imageFlags());
}

async function compareMessages(title: string, tokens: readonly string[], load: Load): Promise<void> {
  report(`POST /ai/messages, ${title}`, await compare([ours(tokens), portkey(tokens.length)], load));
}

void main();
