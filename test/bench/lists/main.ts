import { join } from 'node:path';
import { type Checkout, checkoutsOf, THIS } from '../support/checkout';
import { compare, type Contestant, report } from '../support/compare';
import { startBenchDatabases } from '../support/database';
import { readBenchOptions } from '../support/options';
import { startApi, startServerProcess, unlimited } from '../support/server-process';
import { type Amounts, seed } from './seed';

const PORTS = { database: 25_441, plain: 25_444, api: 25_445 };
const LISTS = ['/api/v1/invoices', '/api/v1/sms/log', '/api/v1/support/tickets'];
const { against, seconds, rounds, more } = readBenchOptions({ seconds: 6, rounds: 3 });
const LOAD = { connections: 32, seconds, rounds };
/** Number of customers of the large database, each with the same number of rows. */
const CUSTOMERS = more[0] ?? 1000;
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

/** A server with the tokens of its database's customers. */
interface ListServer {
  name: string;
  url: string;
  tokens: string[];
}

/**
 * Compares the lists with millions of rows, with thousands of rows, and with a hand-written server; with `--against`, with
 * another checkout's API alone.
 */
async function main(): Promise<void> {
  if (against !== undefined) return withServers(LARGE, checkoutsOf(against), compareLists);
  const small = await withServers(SMALL, [THIS], ([{ tokens }]) => latencies(tokens));
  await withServers(LARGE, [THIS], async (servers) => {
    const large = await latencies(servers[0].tokens);
    for (const [index, path] of LISTS.entries()) {
      const [before, after] = [small[index], large[index]] as [Latency, Latency];
      const line = (name: string, a: number, b: number) =>
        process.stdout.write(`  ${name.padEnd(34)} ${a.toFixed(2)} ms → ${b.toFixed(2)} ms  ×${(b / a).toFixed(2)}\n`);
      process.stdout.write(`\nGET ${path}, few rows → many rows, median of ${SAMPLES}\n`);
      line('first page', before.first, after.first);
      line(`page ${DEEP_PAGE}`, before.deep, after.deep);
    }
    await compareLists(servers);
  });
}

async function compareLists(servers: readonly ListServer[]): Promise<void> {
  for (const path of LISTS) {
    const contestants = servers.map(({ name, url, tokens }): Contestant => {
      return { name, url, requests: tokens.map((token) => ({ path, headers: { authorization: `Bearer ${token}` } })) };
    });
    report(`GET ${path}, ${LARGE.customers} customers`, await compare(contestants, LOAD));
  }
}

/** Runs `work` with the API of each checkout on a filled database of its own; with one, also with the hand-written server. */
async function withServers<T>(
  amounts: Amounts,
  checkouts: readonly Checkout[],
  work: (servers: [ListServer, ...ListServer[]]) => Promise<T>,
): Promise<T> {
  const database = await startBenchDatabases(PORTS.database, checkouts);
  const stops: (() => Promise<void>)[] = [];
  const servers: ListServer[] = [];
  const alone = checkouts.length === 1;
  try {
    // All before the first server starts: one that waited while the next one's rows were made was slower by a twentieth.
    const seeded: string[][] = [];
    for (const url of database.urls) seeded.push(await seed(url, amounts));
    for (const [index, checkout] of checkouts.entries()) {
      const [url, tokens] = [database.urls[index], seeded[index]] as [string, string[]];
      const port = PORTS.api + 2 * index;
      stops.push((await startApi(checkout, unlimited(url, port))).stop);
      servers.push({ name: alone ? 'customer API' : checkout.name, url: `http://127.0.0.1:${port}`, tokens });
      if (!alone) continue;
      stops.push(
        await startServerProcess(join(__dirname, '../reads/plain-server.js'), {
          DATABASE_URL: url,
          PORT: String(PORTS.plain),
        }),
      );
      servers.push({ name: 'hand-written Fastify + pg.Pool', url: `http://127.0.0.1:${PORTS.plain}`, tokens });
    }
    return await work(servers as [ListServer, ...ListServer[]]);
  } finally {
    for (const stop of stops) await stop();
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
