import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { generateToken, hashToken } from '@platform/tokens';
import { startBenchDatabase } from '../support/database';
import { compare, report } from '../support/compare';
import { startServerProcess } from '../support/server-process';

const PORTS = { database: 25_431, api: 25_432, internal: 25_433, plain: 25_434 };
const CUSTOMERS = 100;
const SERVICES = 20;
const LOAD = { connections: 32, seconds: Number(process.argv[2] ?? 6), rounds: 3 };

/** Compares reads through the whole API with the same reads by a hand-written server. */
async function main(): Promise<void> {
  const database = await startBenchDatabase(PORTS.database);
  const tokens = await seed(database.url);
  const generous = String(1_000_000_000);
  const stopApi = await startServerProcess(join(__dirname, '../../../apps/customer-api/src/main.js'), {
    DATABASE_URL: database.url,
    PORT: String(PORTS.api),
    INTERNAL_PORT: String(PORTS.internal),
    RATE_LIMIT_REQUESTS_PER_MINUTE: generous,
    RATE_LIMIT_ADDRESS_PER_MINUTE: generous,
  });
  const stopPlain = await startServerProcess(join(__dirname, 'plain-server.js'), {
    DATABASE_URL: database.url,
    PORT: String(PORTS.plain),
  });
  try {
    for (const path of ['/api/v1/customer', '/api/v1/services']) {
      const requests = tokens.map((token) => ({ path, headers: { authorization: `Bearer ${token}` } }));
      const figures = await compare(
        [
          { name: 'customer API', url: `http://127.0.0.1:${PORTS.api}`, requests },
          { name: 'hand-written Fastify + pg.Pool', url: `http://127.0.0.1:${PORTS.plain}`, requests },
        ],
        LOAD,
      );
      report(`GET ${path}`, figures);
    }
  } finally {
    await Promise.all([stopApi(), stopPlain()]);
    await database.stop();
  }
}

async function seed(url: string): Promise<string[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const tokens: string[] = [];
  for (let index = 0; index < CUSTOMERS; index++) {
    const [customerId, token] = [randomUUID(), generateToken()];
    await client.query(
      `insert into customer (id, name, organization_number, customer_number, email) values ($1, $2, '123456785', $3, $4)`,
      [customerId, `Customer ${index}`, String(index), `it${index}@example.com`],
    );
    await client.query(`insert into service_token (id, customer_id, token_hash, scopes) values ($1, $2, $3, $4)`, [
      randomUUID(),
      customerId,
      hashToken(token),
      ['status:read'],
    ]);
    await client.query(
      `insert into customer_service (customer_id, type, name, config)
       select $1, 'hosting', 'Service ' || n, '{"disk_gb": 50}' from generate_series(1, $2) n`,
      [customerId, SERVICES],
    );
    tokens.push(token);
  }
  await client.query('analyze');
  await client.end();
  return tokens;
}

void main();
