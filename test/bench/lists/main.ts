import { join } from 'node:path';
import { compare, report } from '../support/compare';
import { startBenchDatabase } from '../support/database';
import { startServerProcess } from '../support/server-process';
import { type Amounts, seed } from './seed';

const PORTS = { database: 25_441, api: 25_442, internal: 25_443, plain: 25_444 };
const LISTS = ['/api/v1/invoices', '/api/v1/sms/log', '/api/v1/support/tickets'];
const LOAD = { connections: 32, seconds: Number(process.argv[2] ?? 6), rounds: 3 };
/** Number of customers of the large database, each with the same number of rows. */
const CUSTOMERS = Number(process.argv[3] ?? 1000);
const LARGE: Amounts = {
  customers: CUSTOMERS,
  invoices: 1000 * CUSTOMERS,
  sms: 5000 * CUSTOMERS,
  tickets: 100 * CUSTOMERS,
};
/** Few customers, each with as many rows as in the large database. */
const SMALL: Amounts = { customers: 10, invoices: 10_000, sms: 10_000, tickets: 1_000 };
const PAGE = 10;
const DEEP_PAGE = 100;
const SAMPLES = 400;

interface Latency {
  first: number;
  deep: number;
}

/** Compares the lists with millions of rows, with thousands of rows, and with a hand-written server. */
async function main(): Promise<void> {
  const small = await withServers(SMALL, (tokens) => latencies(tokens));
  await withServers(LARGE, async (tokens) => {
    const large = await latencies(tokens);
    for (const [index, path] of LISTS.entries()) {
      const [before, after] = [small[index], large[index]] as [Latency, Latency];
      const line = (name: string, a: number, b: number) =>
        process.stdout.write(`  ${name.padEnd(34)} ${a.toFixed(2)} ms → ${b.toFixed(2)} ms  ×${(b / a).toFixed(2)}\n`);
      process.stdout.write(`\nGET ${path}, few rows → many rows, median of ${SAMPLES}\n`);
      line('first page', before.first, after.first);
      line(`page ${DEEP_PAGE}`, before.deep, after.deep);
    }
    for (const path of LISTS) {
      const requests = tokens.map((token) => ({ path, headers: { authorization: `Bearer ${token}` } }));
      const contestants = [
        { name: 'customer API', url: `http://127.0.0.1:${PORTS.api}`, requests },
        { name: 'hand-written Fastify + pg.Pool', url: `http://127.0.0.1:${PORTS.plain}`, requests },
      ];
      report(`GET ${path}, ${LARGE.customers} customers`, await compare(contestants, LOAD));
    }
  });
}

async function withServers<T>(amounts: Amounts, work: (tokens: string[]) => Promise<T>): Promise<T> {
  const database = await startBenchDatabase(PORTS.database);
  const tokens = await seed(database.url, amounts);
  const generous = String(1_000_000_000);
  const stopApi = await startServerProcess(join(__dirname, '../../../apps/customer-api/src/main.js'), {
    DATABASE_URL: database.url,
    PORT: String(PORTS.api),
    INTERNAL_PORT: String(PORTS.internal),
    RATE_LIMIT_REQUESTS_PER_MINUTE: generous,
    RATE_LIMIT_ADDRESS_PER_MINUTE: generous,
  });
  const stopPlain = await startServerProcess(join(__dirname, '../reads/plain-server.js'), {
    DATABASE_URL: database.url,
    PORT: String(PORTS.plain),
  });
  try {
    return await work(tokens);
  } finally {
    await Promise.all([stopApi(), stopPlain()]);
    await database.stop();
  }
}

/**
 * Median latency of the first page and of a deep page of each list, one request at a time, over the customers in turn.
 */
async function latencies(tokens: string[]): Promise<Latency[]> {
  // Looks every token up before the measurement, which is about the lists.
  for (const token of tokens) await time('/api/v1/customer', token);
  const result: Latency[] = [];
  for (const path of LISTS) {
    const deep = await Promise.all(
      tokens.slice(0, 20).map(async (token) => ({ token, cursor: await cursorOf(path, token) })),
    );
    const first = await median(path, () => tokens[Math.floor(Math.random() * tokens.length)] as string, '');
    const times: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const { token, cursor } = deep[sample % deep.length] as (typeof deep)[number];
      times.push(await time(`${path}?limit=${PAGE}&cursor=${cursor}`, token));
    }
    result.push({ first, deep: middle(times) });
  }
  return result;
}

async function median(path: string, token: () => string, query: string): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) times.push(await time(`${path}?limit=${PAGE}${query}`, token()));
  return middle(times);
}

/** The cursor of the deep page, found page by page as a client does. */
async function cursorOf(path: string, token: string): Promise<string> {
  let cursor = '';
  for (let page = 1; page < DEEP_PAGE; page++) {
    const reply = await get(`${path}?limit=${PAGE}${cursor && `&cursor=${cursor}`}`, token);
    const body = (await reply.json()) as { next_cursor: string | null };
    if (body.next_cursor === null) return cursor;
    cursor = body.next_cursor;
  }
  return cursor;
}

async function time(path: string, token: string): Promise<number> {
  const start = performance.now();
  await (await get(path, token)).text();
  return performance.now() - start;
}

async function get(path: string, token: string): Promise<Response> {
  const reply = await fetch(`http://127.0.0.1:${PORTS.api}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  return reply;
}

function middle(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

void main();
