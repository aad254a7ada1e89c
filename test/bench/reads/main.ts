import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { generateToken, hashToken } from '@platform/tokens';
import { type Checkout, checkoutsOf } from '../support/checkout';
import { startBenchDatabases } from '../support/database';
import { compare, type Contestant, report } from '../support/compare';
import { readBenchOptions } from '../support/options';
import { startApi, startServerProcess, unlimited } from '../support/server-process';

const PORTS = { database: 25_431, plain: 25_434, api: 25_435 };
const CUSTOMERS = 100;
const SERVICES = 20;
const { against, seconds, rounds } = readBenchOptions({ seconds: 6, rounds: 3 });
const LOAD = { connections: 32, seconds, rounds };

/**
 * Compares reads through the whole API with the same reads by a hand-written server; with `--against`, with another
 * checkout's API instead.
 */
async function main(): Promise<void> {
  const checkouts = checkoutsOf(against);
  const database = await startBenchDatabases(PORTS.database, checkouts);
  const stops: (() => Promise<void>)[] = [];
  try {
    const servers: { name: string; url: string; tokens: string[] }[] = [];
    // All before the first server starts: while it waits for the other's rows it would become slower.
    const seeded: string[][] = [];
    for (const url of database.urls) seeded.push(await seed(url));
    for (const [index, checkout] of checkouts.entries()) {
      const [databaseUrl, tokens] = [database.urls[index], seeded[index]] as [string, string[]];
      const port = PORTS.api + 2 * index;
      stops.push((await startApi(checkout, unlimited(databaseUrl, port))).stop);
      servers.push({ name: nameOf(checkout), url: `http://127.0.0.1:${port}`, tokens });
      if (against !== undefined) continue;
      stops.push(
        await startServerProcess(join(__dirname, 'plain-server.js'), {
          DATABASE_URL: databaseUrl,
          PORT: String(PORTS.plain),
        }),
      );
      servers.push({ name: 'hand-written Fastify + pg.Pool', url: `http://127.0.0.1:${PORTS.plain}`, tokens });
    }
    for (const path of ['/api/v1/customer', '/api/v1/services']) {
      const contestants = servers.map(({ name, url, tokens }): Contestant => {
        return {
          name,
          url,
          requests: tokens.map((token) => ({ path, headers: { authorization: `Bearer ${token}` } })),
        };
      });
      report(`GET ${path}`, await compare(contestants, LOAD));
    }
  } finally {
    for (const stop of stops) await stop();
    await database.stop();
  }
}

function nameOf({ name }: Checkout): string {
  return against === undefined ? 'customer API' : name;
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
