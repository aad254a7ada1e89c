import { fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { providerSettings } from '@domains/ai';
import { fikenSettings, stripeSettings } from '@domains/invoices';
import { gatewayAccess, SANDBOX_GATE } from '@domains/sms';
import { migrateSchema } from '@schema';
import {
  type AppConfig,
  customerApiAddress,
  customerOrigin,
  loadConfig,
  saveLocalServices,
  savePrivately,
  settingsWithFiles,
} from '@platform/config';
import { migrateJobQueue } from '@platform/jobs';
import { type Demo, seedDemo } from './seed-demo';
import { assertNotRunning, assertPortsFree, operatorInternalPort, workerInternalPort } from './start-checks';
import { makeDatabaseLogins, startDatabase } from './local-database';

/** The running parts. */
export interface Everything {
  /** Resolves with the reason when a part ends by itself. */
  failed: Promise<string>;
  stop(): Promise<void>;
}

/** A program or database that was started. */
interface Part {
  stop(): Promise<void>;
}

/** One of the service's programs as a child process. */
interface ChildProcess extends Part {
  /** The address that the program announced, if any. */
  url?: string;
  /** Resolves with the reason when the program ends without having been stopped. */
  failed: Promise<string>;
}

const SECRETS_FILE = resolve('.data', 'secrets.json');

/** Secrets of the local installation. They are generated once, so that the next start can decrypt the stored data. */
interface LocalSecrets {
  databasePassword: string;
  secretsKey: string;
}

/**
 * Starts database and sandbox, then worker, API and operator API. If it is aborted, it stops the parts that it has started.
 * @throws the reason why a part could not start
 */
export async function startEverything(aborted: AbortSignal): Promise<Everything> {
  const given = settingsWithFiles(process.env);
  const production = given.NODE_ENV === 'production';
  // In production no setting has a made-up default: a missing or weak one is an error.
  const config = loadConfig(
    production ? given : { ...given, DATABASE_URL: given.DATABASE_URL ?? 'postgres://not-yet' },
  );
  await assertPortsFree(config);
  const parts = new Parts();
  try {
    const local = production ? undefined : await localEnvironment(given, config.INTERNAL_PORT, parts);
    const environment = local?.environment ?? given;
    const settings = loadConfig(environment);
    aborted.throwIfAborted();
    await migrateSchema(settings);
    await migrateJobQueue(settings);
    aborted.throwIfAborted();
    // After the migrations: a database that they refuse is left as it was.
    const logins = local?.databaseUrl ? await makeDatabaseLogins(local.databaseUrl) : undefined;
    const demo = settings.DEMO_CUSTOMER ? await seedDemo(settings) : undefined;
    const operatorLogin = logins && { DATABASE_URL: logins.worker };
    const worker = { ...environment, INTERNAL_PORT: String(workerInternalPort(settings)), ...operatorLogin };
    const console = { ...environment, INTERNAL_PORT: String(operatorInternalPort(settings)), ...operatorLogin };
    const children = await Promise.all([
      parts.start(startChild('worker', worker)),
      parts.start(startChild('customer-api', { ...environment, ...(logins && { DATABASE_URL: logins.api }) })),
      parts.start(startChild('operator-api', console)),
    ]);
    const failed = [...children.map((child) => child.failed), ...(local?.failed ?? [])];
    aborted.throwIfAborted();
    process.stdout.write(welcome(settings, demo));
    if (!production && settings.OPERATOR_CONSOLE_BUILD) await parts.start(buildConsole(consoleOrigin(settings)));
    return { failed: Promise.race(failed), stop: () => parts.stop() };
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/**
 * Default settings, which those of the developer replace: an embedded database, sandbox upstreams, stored secrets. The
 * settings name the owner of the database; the programs get logins of their own.
 */
async function localEnvironment(
  given: NodeJS.ProcessEnv,
  internalPort: number,
  parts: Parts,
): Promise<{ environment: NodeJS.ProcessEnv; databaseUrl?: string; failed: Promise<string>[] }> {
  if (!given.DATABASE_URL) assertNotRunning();
  const secrets = given.DATABASE_URL ? undefined : loadLocalSecrets();
  const [database, sandbox] = await Promise.all([
    secrets && parts.start(startDatabase(secrets.databasePassword)),
    given.SANDBOX_URL ? undefined : parts.start(startChild('sandbox', given, sandboxArguments(internalPort))),
  ]);
  const services = {
    // The command line beside it refuses another one.
    ...(given.BILLING_TIMEZONE && { BILLING_TIMEZONE: given.BILLING_TIMEZONE }),
    ...(secrets && database && { DATABASE_URL: database.url, SECRETS_KEY: secrets.secretsKey, DEMO_CUSTOMER: 'true' }),
    ...(sandbox && { SANDBOX_URL: sandbox.url ?? '' }),
    // The sandbox's SMS gateways post delivery reports here; real gateways post to the operator's proxy.
    SMS_REPORT_URL: reportUrl(internalPort),
    // The sandbox receives webhooks, too, on this machine.
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  saveLocalServices({ ...services, LAUNCHER_PID: String(process.pid) });
  // There is no proxy that keeps connections: a stop waits for nobody.
  const environment = { SHUTDOWN_IDLE_MS: '0', ...services, ...given };
  const failed = [
    ...(sandbox ? [sandbox.failed] : []),
    ...(database ? [database.exited.then(() => 'The database stopped by itself')] : []),
  ];
  return { environment, databaseUrl: database?.url, failed };
}

const reportUrl = (internalPort: number) => `http://127.0.0.1:${internalPort}`;

/** On any port, with the gate of LINK Mobility's delivery reports that the API names in the sandbox. */
const sandboxArguments = (internalPort: number) => [
  ...['--port', '0'],
  ...['--link-gate', `${SANDBOX_GATE}=${reportUrl(internalPort)}/sms/delivery-reports/link-mobility`],
];

const consoleOrigin = (config: AppConfig) => config.OPERATOR_URL ?? `http://localhost:${config.OPERATOR_PORT}`;

/** Builds the operator's console, unless it is built, while everything runs: nobody waits for it. Prints when it can be opened, or that it failed. */
async function buildConsole(origin: string): Promise<Part> {
  const build = spawn('node', ['apps/local/build-console.mjs', '--quiet'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const ended = once(build, 'close') as Promise<[code: number | null]>;
  void ended.then(([code]) => {
    if (code === 0) process.stdout.write(`The operator console is ready: ${origin}\n`);
    // Without a code it was stopped with everything else.
    else if (code !== null)
      process.stderr.write('The operator console could not be built: see npm run console:build\n');
  });
  return {
    async stop() {
      if (build.exitCode !== null || build.pid === undefined) return;
      // Its own children too.
      process.kill(-build.pid, 'SIGTERM');
      await ended;
    },
  };
}

/** The started parts, which are stopped in reverse. */
class Parts {
  private readonly starts: Promise<Part>[] = [];
  private readonly started: Part[] = [];

  async start<Kind extends Part>(start: Promise<Kind>): Promise<Kind> {
    this.starts.push(start);
    const part = await start;
    this.started.push(part);
    return part;
  }

  /** Stops all parts, those that are just starting as soon as they have started. */
  async stop(): Promise<void> {
    await Promise.allSettled(this.starts);
    for (const part of this.started.reverse()) await part.stop();
  }
}

/** Starts a program and waits until it announces that it is ready. */
async function startChild(name: string, environment: NodeJS.ProcessEnv, words: string[] = []): Promise<ChildProcess> {
  const main = join(__dirname, '..', '..', name, 'src', 'main.js');
  const child = fork(main, words, { env: environment, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const failed = exited.then(([code, signal]) => `The ${name} stopped by itself (${String(code ?? signal)})`);
  const [message] = await Promise.race([
    once(child, 'message') as Promise<[{ url?: string } | 'ready']>,
    failed.then((reason) => {
      throw new StartError(reason);
    }),
  ]);
  return {
    url: message === 'ready' ? undefined : message.url,
    failed,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
}

/** A program ended before it was ready. It has written the reason itself. */
class StartError extends Error {
  constructor(reason: string) {
    super(reason);
    this.stack = reason;
  }
}

/** Reads the secrets, or generates them. */
function loadLocalSecrets(): LocalSecrets {
  if (existsSync(SECRETS_FILE)) return JSON.parse(readFileSync(SECRETS_FILE, 'utf8')) as LocalSecrets;
  const secrets = { databasePassword: randomBytes(18).toString('hex'), secretsKey: randomBytes(32).toString('base64') };
  savePrivately(SECRETS_FILE, JSON.stringify(secrets, null, 2));
  return secrets;
}

/** Which upstreams are the sandbox's, and which are not, because the developer's environment has settings of real ones. */
function describeUpstreams(config: AppConfig): string[] {
  const upstreams = [
    ['AI provider', providerSettings(config)],
    ['SMS gateway', gatewayAccess(config)],
    ['Stripe', stripeSettings(config)],
    ['Fiken', fikenSettings(config)],
  ] as const;
  const real = upstreams.flatMap(([name, access]) => (access?.inSandbox === false ? [name] : []));
  if (real.length === 0)
    return ['SANDBOX: AI provider, SMS gateway and billing sources are simulated. Nothing is sent or charged.'];
  return [
    `REAL: ${real.join(', ')}. The environment has settings of these: what is sent there is sent, and charged.`,
    `SANDBOX: ${upstreams.flatMap(([name]) => (real.includes(name) ? [] : [name])).join(', ') || 'nothing else'}.`,
  ];
}

/** The text that is printed after the start: the addresses, and a first call that works when pasted. */
function welcome(config: AppConfig, demo: Demo | undefined): string {
  const api = customerApiAddress(config);
  const internal = `http://${config.INTERNAL_HOST}`;
  const lines = [
    '',
    `Customer API   ${api}`,
    `Swagger UI     ${customerOrigin(config)}/docs`,
    `Operator API   ${consoleOrigin(config)}${config.OPERATOR_CONSOLE_BUILD ? ', and the console: it is being prepared, a line tells when it is ready' : ''}`,
    `Metrics        ${internal}:${config.INTERNAL_PORT}/metrics, of the worker ${internal}:${workerInternalPort(config)}/metrics, of the operator API ${internal}:${operatorInternalPort(config)}/metrics`,
  ];
  if (config.SANDBOX_URL) {
    lines.push('', ...describeUpstreams(config));
    if (demo?.receivesWebhooks)
      lines.push(`Webhooks       ${config.SANDBOX_URL}/webhooks/ shows those of the demo customer`);
  }
  if (demo?.customer) {
    const { name, token } = demo.customer;
    lines.push('', `Demo customer  ${name}`, `Demo token     ${token}`, '', 'Try it:');
    lines.push(`  curl -s -H 'Authorization: Bearer ${token}' ${api}/customer`);
  } else if (demo) {
    lines.push('', 'The demo customer was erased. Another one: npm run -s operator -- customer create --help');
  }
  if (demo?.loginLink !== undefined) {
    lines.push('', 'Log in to the operator console, once, within ten minutes:', `  ${demo.loginLink}`);
    lines.push(`Later: npm run -s operator -- account invite --email ${demo.operator}`);
  } else if (demo) {
    lines.push('', `The account ${demo.operator} is deactivated. To log in with it:`);
    lines.push(`  npm run -s operator -- account activate --account ${demo.operator}`);
  }
  return `${lines.join('\n')}\n\nCtrl-C stops everything.\n`;
}
