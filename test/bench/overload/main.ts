import { join } from 'node:path';
import { Client } from 'pg';
import { startSandbox } from '../../../apps/sandbox/src/sandbox';
import { saveFakeCustomer } from '../../support/factories/customer.factory';
import { saveFakeToken } from '../../support/factories/service-token.factory';
import { allowSms } from '../../support/factories/sms-settings.factory';
import { startBenchDatabase } from '../support/database';
import { compareInTurn } from '../support/in-turn';
import { readBenchOptions } from '../support/options';
import { startServerProcess } from '../support/server-process';
import { type Answer, closedLoad, type Load, openLoad, type Order } from './open-load';

const PORTS = { database: 25_541, api: 25_542, internal: 25_543 };
const { against, seconds: SECONDS, rounds, more } = readBenchOptions({ seconds: 120, rounds: 3 });
const FIGURES = [
  { name: 'can be served, requests/s', pattern: /^can be served: (\d+)/m },
  { name: 'served at twice of it, requests/s', pattern: /^at twice of it,.*?served (\d+)\/s/m },
  { name: 'p99 of what is served then, ms', pattern: /^at twice of it,.*?p99 (\d+)/m },
];
const [CUSTOMERS = 20] = more;
/** The load of a usual busy hour, as a part of the capacity. */
const USUAL = 0.7;

/**
 * Offers twice the load that this machine can serve: accepted requests must be served in time, and the service must
 * recover soon after, and its customers, who ask alike, must be served alike. The second number is that of the customers. With
 * `--against`, in turn with another checkout, `--rounds` times.
 */
async function main(): Promise<void> {
  if (against !== undefined) return compareInTurn('overload', { against, seconds: SECONDS, rounds }, FIGURES);
  process.env.TEST_SEED ??= '1';
  const database = await startBenchDatabase(PORTS.database);
  const sandbox = await startSandbox();
  const tokens = await seed(database.url);
  const generous = '1000000000';
  const stopApi = await startServerProcess(join(__dirname, '../../../apps/customer-api/src/main.js'), {
    DATABASE_URL: database.url,
    SANDBOX_URL: sandbox.url,
    PORT: String(PORTS.api),
    INTERNAL_PORT: String(PORTS.internal),
    LOG_LEVEL: 'error',
    ...Object.fromEntries(['REQUESTS', 'ADDRESS', 'SMS'].map((limit) => [`RATE_LIMIT_${limit}_PER_MINUTE`, generous])),
    SMS_DAILY_CAP: generous,
  });
  try {
    await measure(() => order(tokens));
  } finally {
    await stopApi();
    await sandbox.close();
    await database.stop();
  }
}

async function measure(next: () => Order): Promise<void> {
  await closedLoad(PORTS.api, 32, Math.min(5, SECONDS), next);
  const capacity = await closedLoad(PORTS.api, 32, Math.min(10, SECONDS), next);
  print(`can be served: ${Math.round(capacity)} requests a second`);
  const usual = await openLoad(PORTS.api, capacity * USUAL, Math.min(20, SECONDS), next);
  printResults(`at ${USUAL} of it`, usual);
  printKinds(usual);
  const flood = await openLoad(PORTS.api, capacity * 2, SECONDS, next);
  printResults('at twice of it', flood);
  printKinds(flood);
  printResults('… after its first 3 s', since(flood, 3));
  printShares(flood);
  const after = await openLoad(PORTS.api, capacity * USUAL, Math.min(20, SECONDS), next);
  const late = after.answers.filter(isRefused).map(({ at }) => at);
  printResults(`at ${USUAL} again`, after);
  print(`  the last refusal came ${late.length === 0 ? 0 : Math.round(Math.max(...late))} ms after the overload's end`);
  printResults('… after its first 5 s', since(after, 5));
}

function isRefused({ status }: Answer): boolean {
  return status === 503 || status === 429 || status === 0;
}

/** The part of a load that was sent after a number of seconds. */
function since(load: Load, seconds: number): Load {
  const answers = load.answers.filter(({ at }) => at >= seconds * 1000);
  return { ...load, answers, seconds: load.seconds - seconds };
}

function printResults(what: string, { answers, seconds, unsent, ownCpu }: Load): void {
  const served = answers.filter((one) => !isRefused(one)).map(({ ms }) => ms);
  const tally: Record<string, number> = {};
  for (const { status } of answers) tally[status] = (tally[status] ?? 0) + 1;
  const refused = answers.filter(isRefused).map(({ ms }) => ms);
  print(
    `${what}, ${seconds} s: served ${Math.round(served.length / seconds)}/s, ${JSON.stringify(tally)}, not sent ${unsent}; ` +
      `served p50 ${at(served, 0.5)} p99 ${at(served, 0.99)} max ${at(served, 1)} ms; ` +
      `refused p50 ${at(refused, 0.5)} p99 ${at(refused, 0.99)} ms; this generator took ${ownCpu.toFixed(2)} of a core`,
  );
}

/** How long each kind of request took that was served. */
function printKinds({ answers, seconds }: Load): void {
  const served = answers.filter((one) => !isRefused(one));
  for (const [kind, those] of Map.groupBy(served, (one) => one.kind)) {
    const times = those.map(({ ms }) => ms);
    const perSecond = Math.round(times.length / seconds);
    print(`  ${kind}: ${perSecond}/s, p50 ${at(times, 0.5)} p99 ${at(times, 0.99)} max ${at(times, 1)} ms`);
  }
}

/** How many requests the customers were served: none should have fewer than half of the median. */
function printShares({ answers }: Load): void {
  const served = new Map(tokensOfAll.map((token) => [token, 0]));
  for (const answer of answers) if (!isRefused(answer)) served.set(answer.party, (served.get(answer.party) ?? 0) + 1);
  const counts = [...served.values()].sort((a, b) => a - b);
  const median = at(counts, 0.5);
  const few = counts.filter((count) => count < median / 2).length;
  print(
    `  served per customer, of ${counts.length}: least ${counts[0]}, 1 % below ${at(counts, 0.01)}, median ${median}, most ${counts.at(-1)}; ` +
      `fewer than half of the median: ${few}`,
  );
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

let turn = 0;
let tokensOfAll: string[] = [];

/** Of ten requests, six read, three open a ticket, one sends an SMS. */
function order(tokens: string[]): Order {
  const place = turn++;
  const token = tokens[place % tokens.length] as string;
  const kind = (Math.floor(place / tokens.length) + place) % 10;
  if (kind === 0) return request('POST', '/sms/send', token, '{"to":"+4790000000","message":"Hello"}');
  if (kind < 4) return request('POST', '/support/tickets', token, '{"title":"a","body":"b"}');
  return request('GET', kind < 7 ? '/customer' : '/services', token);
}

function request(method: string, path: string, token: string, body = ''): Order {
  const content = body && `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
  const head = `${method} /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${content}\r\n`;
  return { kind: `${method} ${path}`, party: token, wire: head + body };
}

async function seed(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const tokens: string[] = [];
  for (let count = 0; count < CUSTOMERS; count++) {
    const { id } = await saveFakeCustomer(client);
    await allowSms(client, id);
    tokens.push((await saveFakeToken(client, id)).token);
  }
  await client.end();
  tokensOfAll = tokens;
  return tokens;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

void main();
