import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { resolve } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@platform/database';

/** Each program's login, and the one role that the login may assume. */
const LOGINS = { api: ['api_login', 'customer_api'], worker: ['worker_login', 'account_operator'] } as const;

/** Connection URLs of the database, by program. */
type DatabaseLogins = Record<keyof typeof LOGINS, string>;

/** Starts PostgreSQL with its data under `.data/`, on a free port. */
export async function startDatabase(password: string): Promise<EmbeddedPostgres> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return startEmbeddedPostgres({ folder: resolve('.data'), port, password });
}

/**
 * Creates a login each for the API and the worker, as in production: a login has no rights but those of its role.
 * Passwords are generated at every start and not stored.
 * @param ownerUrl URL of the database with the owner's login
 */
export async function makeDatabaseLogins(ownerUrl: string): Promise<DatabaseLogins> {
  const owner = new Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    return {
      api: await makeLogin(owner, ownerUrl, LOGINS.api),
      worker: await makeLogin(owner, ownerUrl, LOGINS.worker),
    };
  } finally {
    await owner.end();
  }
}

async function makeLogin(owner: Client, ownerUrl: string, [login, role]: readonly [string, string]): Promise<string> {
  const password = randomBytes(18).toString('hex');
  for (const name of [role, login]) {
    const { rowCount } = await owner.query('select from pg_roles where rolname = $1', [name]);
    if (rowCount === 0) await owner.query(`create role ${name} nologin`);
  }
  await owner.query(`alter role ${login} login noinherit password '${password}'`);
  await owner.query(`grant ${role} to ${login}`);
  const url = new URL(ownerUrl);
  url.username = login;
  url.password = password;
  return url.href;
}
