import { NestFactory } from '@nestjs/core';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { startBenchDatabase } from '../support/database';
import { compareInTurn } from '../support/in-turn';
import { readBenchOptions } from '../support/options';
import { seedAiCustomers } from '../ai/seed';
import { callsPerSecond } from './calls-per-second';
import { LedgerModule } from './ledger.module';

const PORT = 25_446;
const CUSTOMERS = 1_000;
const { against, seconds, rounds } = readBenchOptions({ seconds: 8, rounds: 3 });
const CALLS_PER_CUSTOMER = [1, 4, 16];
const FIGURES = CALLS_PER_CUSTOMER.map((calls) => ({
  name: `${calls} calls of a customer at once, calls/s`,
  pattern: new RegExp(`^ *${calls} calls of a customer at once: +(\\d+) calls/s`, 'm'),
}));

/**
 * Calls per second of the ledger alone, reserved and settled, with so many calls of a customer at once. On the empty database
 * that `BENCH_DATABASE_URL` names, such as a cluster's, or on a PostgreSQL of its own. With `--against`, in turn with another
 * checkout's ledger, `--rounds` times.
 */
async function main(): Promise<void> {
  if (against !== undefined) return compareInTurn('ledger', { against, seconds, rounds }, FIGURES);
  const url = process.env.BENCH_DATABASE_URL;
  const database = url ? { url, stop: () => Promise.resolve() } : await startBenchDatabase(PORT);
  const config = loadConfig({ DATABASE_URL: database.url, ANTHROPIC_API_KEY: 'bench', LOG_LEVEL: 'warn' });
  if (url) await migrateSchema(config);
  await seedAiCustomers(database.url, CUSTOMERS);
  const customers = await customerIds(database.url);
  const app = await NestFactory.createApplicationContext(LedgerModule.with(config), { logger: ['error', 'warn'] });
  try {
    for (const calls of CALLS_PER_CUSTOMER) {
      await callsPerSecond(app, customers, { calls, seconds: seconds / 2 });
      const { perSecond, p50, p99 } = await callsPerSecond(app, customers, { calls, seconds });
      process.stdout.write(
        `${String(calls).padStart(3)} calls of a customer at once: ${perSecond.toFixed(0).padStart(6)} calls/s  p50 ${p50.toFixed(0)} ms  p99 ${p99.toFixed(0)} ms\n`,
      );
    }
  } finally {
    await app.close();
    await database.stop();
  }
}

async function customerIds(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ id: string }>('select id from customer');
  await client.end();
  return rows.map(({ id }) => id);
}

void main();
