import { NestFactory } from '@nestjs/core';
import { Client } from 'pg';
import { migrateSchema } from '@schema';
import { loadConfig } from '@platform/config';
import { startBenchDatabase } from '../support/database';
import { seedAiCustomers } from '../ai/seed';
import { callsPerSecond } from './calls-per-second';
import { LedgerModule } from './ledger.module';

const PORT = 25_446;
const CUSTOMERS = 1_000;
const SECONDS = Number(process.argv[2] ?? 8);
const CALLS_PER_CUSTOMER = [1, 4, 16];

/**
 * Calls per second of the ledger alone, reserved and settled, with so many calls of a customer at once. On the empty database
 * that `BENCH_DATABASE_URL` names, such as a cluster's, or on a PostgreSQL of its own.
 */
async function main(): Promise<void> {
  const url = process.env.BENCH_DATABASE_URL;
  const database = url ? { url, stop: () => Promise.resolve() } : await startBenchDatabase(PORT);
  const config = loadConfig({ DATABASE_URL: database.url, ANTHROPIC_API_KEY: 'bench', LOG_LEVEL: 'warn' });
  if (url) await migrateSchema(config);
  await seedAiCustomers(database.url, CUSTOMERS);
  const customers = await customerIds(database.url);
  const app = await NestFactory.createApplicationContext(LedgerModule.with(config), { logger: ['error', 'warn'] });
  try {
    for (const calls of CALLS_PER_CUSTOMER) {
      await callsPerSecond(app, customers, { calls, seconds: SECONDS / 2 });
      const { perSecond, p50, p99 } = await callsPerSecond(app, customers, { calls, seconds: SECONDS });
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
