import { join } from 'node:path';
import { Client } from 'pg';
import { startSandbox } from '../../../apps/sandbox/src/sandbox';
import { saveFakeCustomer } from '../../support/factories/customer.factory';
import { saveFakeToken } from '../../support/factories/service-token.factory';
import { allowSms } from '../../support/factories/sms-settings.factory';
import { startBenchDatabase } from '../support/database';
import { startServerProcess } from '../support/server-process';
import { type Answer, closedLoad, openLoad, type Order } from './open-load';

const PORTS = { database: 55_541, api: 55_542, internal: 55_543 };
const ORIGIN = `http://127.0.0.1:${PORTS.api}`;
const SECONDS = Number(process.argv[2] ?? 120);
const CUSTOMERS = 20;
/** Of what can be served: the load of a usual busy hour. */
const USUAL = 0.7;

/** Twice the load that this machine can serve: what is let in is served in time, and all is well soon after. */
async function main(): Promise<void> {
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
  await closedLoad(ORIGIN, 32, 5, next);
  const capacity = await closedLoad(ORIGIN, 32, 10, next);
  print(`can be served: ${Math.round(capacity)} requests a second`);
  const usual = await openLoad(ORIGIN, capacity * USUAL, 20, next);
  tell(`at ${USUAL} of it, 20 s`, usual.answers, usual.sent);
  const flood = await openLoad(ORIGIN, capacity * 2, SECONDS, next);
  tell(`at twice of it, ${SECONDS} s`, flood.answers, flood.sent);
  tell(
    '… after its first 3 s',
    flood.answers.filter(({ at }) => at > 3000),
  );
  const after = await openLoad(ORIGIN, capacity * USUAL, 20, next);
  const late = after.answers.filter(isRefused).map(({ at }) => at);
  tell(`at ${USUAL} again, 20 s`, after.answers, after.sent);
  print(`  the last refusal came ${late.length === 0 ? 0 : Math.round(Math.max(...late))} ms after the overload's end`);
  tell(
    '… after its first 5 s',
    after.answers.filter(({ at }) => at > 5000),
  );
}

function isRefused({ status }: Answer): boolean {
  return status === 503 || status === 0;
}

function tell(what: string, answers: Answer[], sent = answers.length): void {
  const served = answers.filter((one) => !isRefused(one)).map(({ ms }) => ms);
  const tally: Record<string, number> = {};
  for (const { status } of answers) tally[status] = (tally[status] ?? 0) + 1;
  const refused = answers.filter(isRefused).map(({ ms }) => ms);
  print(
    `${what}: sent ${sent}, ${JSON.stringify(tally)}; answered p50 ${at(served, 0.5)} p99 ${at(served, 0.99)} ` +
      `max ${at(served, 1)} ms; refused p50 ${at(refused, 0.5)} p99 ${at(refused, 0.99)} ms`,
  );
}

function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
}

let turn = 0;

/** Of ten requests six read, three open a ticket, one sends an SMS. */
function order(tokens: string[]): Order {
  const place = turn++;
  const token = tokens[place % tokens.length] as string;
  const kind = Math.floor(place / tokens.length) % 10;
  if (kind === 0)
    return { method: 'POST', path: '/api/v1/sms/send', token, body: '{"to":"+4790000000","message":"Hello"}' };
  if (kind < 4) return { method: 'POST', path: '/api/v1/support/tickets', token, body: '{"title":"a","body":"b"}' };
  return { method: 'GET', path: kind < 7 ? '/api/v1/customer' : '/api/v1/services', token };
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
  return tokens;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

void main();
