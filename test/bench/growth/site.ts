import { join } from 'node:path';
import { Client } from 'pg';
import { startBenchDatabase } from '../support/database';
import { startServerProcess } from '../support/server-process';
import { seedGrowth } from './seed';
import { CUSTOMERS } from './sizes';

/** A database of one size with an API of its own. */
export interface Site {
  rows: number;
  url: string;
  origin: string;
  tokens: string[];
  superuser: Client;
  stop(): Promise<void>;
}

const GENEROUS = '1000000000';

/** @param port the first of three free ones */
export async function startSite(rows: number, port: number, sandbox: string): Promise<Site> {
  const database = await startBenchDatabase(port);
  const superuser = new Client({ connectionString: database.url });
  await superuser.connect();
  const tokens = await seedGrowth(superuser, rows, CUSTOMERS);
  const stopApi = await startServerProcess(join(__dirname, '../../../apps/customer-api/src/main.js'), {
    DATABASE_URL: database.url,
    SANDBOX_URL: sandbox,
    PORT: String(port + 1),
    INTERNAL_PORT: String(port + 2),
    LOG_LEVEL: 'warn',
    OVERLOAD_WAIT_MS: '60000',
    RATE_LIMIT_REQUESTS_PER_MINUTE: GENEROUS,
    RATE_LIMIT_AI_PER_MINUTE: GENEROUS,
    RATE_LIMIT_SMS_PER_MINUTE: GENEROUS,
    RATE_LIMIT_ADDRESS_PER_MINUTE: GENEROUS,
    PENDING_CREDIT_REQUESTS: GENEROUS,
    SMS_DAILY_CAP: GENEROUS,
    SMS_DAILY_PARTS_CAP: GENEROUS,
  });
  return {
    rows,
    url: database.url,
    origin: `http://127.0.0.1:${port + 1}/api/v1`,
    tokens,
    superuser,
    async stop() {
      await stopApi();
      await superuser.end();
      await database.stop();
    },
  };
}
