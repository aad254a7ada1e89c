import { migrateSchema } from '@schema';
import { loadConfig, saveLocalServices } from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { seedDemo } from './demo/seed-demo';
import { assertPortsFree, workerInternalPort } from './ports';
import { loadLocalSecrets } from './local-secrets';
import { assertNotRunning } from './running';
import { type ChildProcess, startChild } from './processes/child-process';
import { makeDatabaseLogins } from './processes/database-logins';
import { startDatabase } from './processes/local-database';
import { welcome } from './welcome';

/** The running parts. */
export interface Everything {
  /** Resolves with the reason when a part ends by itself. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts database, sandbox, worker and API, in the order of their dependencies, and stops them in reverse. If it is
 * aborted, it stops what it has started.
 * @throws the reason why a part could not start
 */
export async function startEverything(aborted: AbortSignal): Promise<Everything> {
  const given = process.env;
  const production = given.NODE_ENV === 'production';
  // In production no setting has a made-up default: a missing or weak one is an error.
  const config = loadConfig(
    production ? given : { ...given, DATABASE_URL: given.DATABASE_URL || 'postgres://not-yet' },
  );
  await assertPortsFree(config);
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of stops.reverse()) await end();
  };
  try {
    const local = production ? undefined : await localEnvironment(given, config.INTERNAL_PORT, stops);
    const environment = local?.environment ?? given;
    const settings = loadConfig(environment);
    aborted.throwIfAborted();
    await migrateSchema(settings);
    await migrateJobQueue(settings);
    aborted.throwIfAborted();
    // After the migrations: a database that they refuse is left as it was.
    const logins = local?.databaseUrl ? await makeDatabaseLogins(local.databaseUrl) : undefined;
    const demo = settings.DEMO_CUSTOMER ? await seedDemo(settings) : undefined;
    const children: ChildProcess[] = [];
    const worker = { ...environment, INTERNAL_PORT: String(workerInternalPort(settings)) };
    const programs = {
      worker: { ...worker, ...(logins && { DATABASE_URL: logins.worker }) },
      'customer-api': { ...environment, ...(logins && { DATABASE_URL: logins.api }) },
    };
    for (const [name, own] of Object.entries(programs)) {
      aborted.throwIfAborted();
      const child = await startChild(name, own);
      children.push(child);
      stops.push(() => child.stop());
    }
    process.stdout.write(welcome(settings, demo));
    return { failed: Promise.race(children.map(({ failed }) => failed)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Default settings for what the developer has not set: an embedded database, sandbox upstreams, stored secrets. The
 * settings name the owner of the database; the programs get logins of their own.
 */
async function localEnvironment(
  given: NodeJS.ProcessEnv,
  internalPort: number,
  stops: (() => Promise<void>)[],
): Promise<{ environment: NodeJS.ProcessEnv; databaseUrl?: string }> {
  const services: Record<string, string> = {};
  let databaseUrl: string | undefined;
  if (!given.DATABASE_URL) {
    assertNotRunning();
    const secrets = loadLocalSecrets();
    const database = await startDatabase(secrets.databasePassword);
    stops.push(() => database.stop());
    databaseUrl = database.url;
    Object.assign(services, { DATABASE_URL: databaseUrl, SECRETS_KEY: secrets.secretsKey, DEMO_CUSTOMER: 'true' });
  }
  if (!given.SANDBOX_URL) {
    const sandbox = await startChild('sandbox', given);
    stops.push(() => sandbox.stop());
    services.SANDBOX_URL = sandbox.url ?? '';
    // The sandbox's SMS gateways post delivery reports here; real gateways post to the operator's proxy.
    services.SMS_REPORT_URL = `http://127.0.0.1:${internalPort}`;
  }
  saveLocalServices({ ...services, LAUNCHER_PID: String(process.pid) });
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  return { environment: { ...services, ...set }, databaseUrl };
}
