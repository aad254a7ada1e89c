import { join } from 'node:path';
import { type Contestant, compare, report } from '../support/compare';
import { startBenchDatabase } from '../support/database';
import { startServerProcess } from '../support/server-process';
import { startPortkey } from './portkey';
import { seedAiCustomers } from './seed';

const PORTS = { database: 55_441, api: 55_442, internal: 55_443, upstream: 55_444, portkey: 55_445 };
const CUSTOMERS = 1_000;
const SECONDS = Number(process.argv[2] ?? 6);
const LARGE_CREDIT = '1000000000';
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'Hello, how are you today?' }], max_tokens: 64 });

/** Messages through the whole API, each reserved and settled durably, against a gateway that accounts for nothing. */
async function main(): Promise<void> {
  const database = await startBenchDatabase(PORTS.database);
  const stops: (() => Promise<void>)[] = [];
  try {
    const tokens = await seedAiCustomers(database.url, CUSTOMERS);
    stops.push(await startServerProcess(join(__dirname, 'instant-upstream.js'), { PORT: String(PORTS.upstream) }));
    stops.push(
      await startServerProcess(join(__dirname, '../../../apps/customer-api/src/main.js'), {
        DATABASE_URL: database.url,
        PORT: String(PORTS.api),
        INTERNAL_PORT: String(PORTS.internal),
        ANTHROPIC_BASE_URL: `http://127.0.0.1:${PORTS.upstream}`,
        ANTHROPIC_API_KEY: 'bench',
        LOG_LEVEL: 'warn',
        RATE_LIMIT_REQUESTS_PER_MINUTE: LARGE_CREDIT,
        RATE_LIMIT_AI_PER_MINUTE: LARGE_CREDIT,
        RATE_LIMIT_ADDRESS_PER_MINUTE: LARGE_CREDIT,
      }),
    );
    stops.push(await startPortkey(PORTS.portkey));
    for (const [title, of, connections] of [
      ['over 1,000 customers, 64 connections', tokens, 64],
      ['one customer, 64 connections', tokens.slice(0, 1), 64],
      ['one call at a time', tokens.slice(0, 1), 1],
    ] as const) {
      const load = { connections, seconds: SECONDS, rounds: 3 };
      report(`POST /ai/messages, ${title}`, await compare([ours(of), portkey(of.length)], load));
    }
  } finally {
    for (const stop of stops) await stop();
    await database.stop();
  }
}

function ours(tokens: readonly string[]): Contestant {
  const requests = tokens.map((token) => ({
    method: 'POST' as const,
    path: '/api/v1/ai/messages',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: BODY,
  }));
  return { name: 'customer API (durable accounting)', url: `http://127.0.0.1:${PORTS.api}`, requests };
}

/** As many requests as ours, so that the load generator's work is the same. */
function portkey(count: number): Contestant {
  const headers = {
    'content-type': 'application/json',
    'x-portkey-provider': 'anthropic',
    'x-portkey-custom-host': `http://127.0.0.1:${PORTS.upstream}/v1`,
    'x-api-key': 'bench',
    authorization: 'Bearer bench',
  };
  const body = JSON.stringify({ model: 'bench', ...(JSON.parse(BODY) as object) });
  return {
    name: 'Portkey (no accounting)',
    url: `http://127.0.0.1:${PORTS.portkey}`,
    requests: Array.from({ length: count }, () => ({ method: 'POST' as const, path: '/v1/messages', headers, body })),
  };
}

void main();
