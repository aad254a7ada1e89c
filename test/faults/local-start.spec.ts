import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { compileCache } from '@test/compile-cache';
import { freePort } from '@test/free-port';
import { until } from '@test/until';

const MAIN = join(process.cwd(), 'dist', 'apps', 'local', 'src', 'main.js');

/** Works in the folder's database as its owner. */
async function asOwner<T>(folder: string, work: (owner: Client) => Promise<T>): Promise<T> {
  const services = JSON.parse(readFileSync(join(folder, '.data', 'services.json'), 'utf8')) as { DATABASE_URL: string };
  const owner = new Client({ connectionString: services.DATABASE_URL });
  await owner.connect();
  return work(owner).finally(() => owner.end());
}

/** The logins of the service's programs, as the owner of the folder's database sees them. */
async function loginsIn(folder: string): Promise<string[]> {
  const { rows } = await asOwner(folder, (owner) =>
    owner.query<{ usename: string }>(
      `select distinct usename::text from pg_stat_activity where application_name like 'customer-account-service %' order by 1`,
    ),
  );
  return rows.map(({ usename }) => usename);
}

/** A started launcher. */
interface Launcher {
  child: ChildProcess;
  /** Its output. */
  text(): string;
  exited: Promise<number | null>;
}

describe('npm start', () => {
  it('passes the signal that ends npm on to the launcher, though npm starts it through a shell', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'customer-account-service-npm-'));
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: scripts.start } }));
    const main = join(folder, 'dist', 'apps', 'local', 'src', 'main.js');
    mkdirSync(dirname(main), { recursive: true });
    // A launcher that ends as it should, says so, and otherwise stays.
    writeFileSync(
      main,
      `process.on('SIGTERM', () => process.exit(console.log('ended'))).stdout.write('begun ');
      setInterval(() => undefined, 1000);`,
    );
    const npm = spawn('npm', ['start', '--silent'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      let text = '';
      npm.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const signal = AbortSignal.timeout(10_000);
      await once(npm.stdout, 'data', { signal });
      npm.kill('SIGTERM');
      // The launcher has the other end: it closes when both have ended.
      await once(npm.stdout, 'close', { signal });
      expect(text).toBe('begun ended\n');
    } finally {
      if (npm.pid) spawnSync('kill', ['-9', '--', `-${npm.pid}`]);
      rmSync(folder, { recursive: true, force: true });
    }
  }, 20_000);

  // Finding remaining processes needs /proc.
  if (existsSync('/proc/self/environ')) describeLauncher();
  else it('is tested on Linux alone', () => expect(process.platform).not.toBe('linux'));
});

function describeLauncher(): void {
  let folder: string;
  let port: number;
  let internalPort: number;
  let workerPort: number;
  let operatorPort: number;
  let operatorInternalPort: number;
  const launchers: Launcher[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'customer-account-service-start-'));
    chmodSync(folder, 0o755);
    [port, internalPort, workerPort] = [await freePort(), await freePort(), await freePort()];
    [operatorPort, operatorInternalPort] = [await freePort(), await freePort()];
  });
  afterEach(async () => {
    for (const { child } of launchers.splice(0)) child.kill('SIGKILL');
    // Cleans up after a failed test.
    for (const pid of ours()) process.kill(pid, 'SIGKILL');
    await until(async () => ours().length === 0 && (await portsAreFree()));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts it as a terminal does, in its own process group. */
  function launch(settings: Record<string, string> = {}): Launcher {
    const { PATH } = process.env;
    const env = {
      PATH,
      PORT: String(port),
      INTERNAL_PORT: String(internalPort),
      WORKER_INTERNAL_PORT: String(workerPort),
      OPERATOR_PORT: String(operatorPort),
      OPERATOR_INTERNAL_PORT: String(operatorInternalPort),
      OPERATOR_CONSOLE_BUILD: 'false',
      LOG_LEVEL: 'warn',
      TEST_FOLDER: folder,
      ...compileCache,
      ...settings,
    };
    const child = spawn(process.execPath, [MAIN], {
      cwd: folder,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const exited = once(child, 'close').then(([code]) => code as number | null);
    const launcher = { child, text: () => text, exited };
    launchers.push(launcher);
    return launcher;
  }

  async function ready(launcher: Launcher): Promise<void> {
    const ended = launcher.exited.then((code) => {
      throw new Error(`It ended with ${code}:\n${launcher.text()}`);
    });
    ended.catch(() => undefined);
    await Promise.race([until(() => launcher.text().includes('Ctrl-C stops everything')), ended]);
  }

  /** Processes that this test's launchers started, of any present parent. */
  function ours(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .filter((pid) => {
        try {
          // PostgreSQL writes its title over its environment, but keeps its command line.
          const environment = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
          const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
          return (environment.includes(`TEST_FOLDER=${folder}`) || command.includes(folder)) && !isZombie(pid);
        } catch {
          return false;
        }
      })
      .map(Number);
  }

  /** A killed process gives its ports back after its memory, and without that /proc does not tell whose it was. */
  async function portsAreFree(): Promise<boolean> {
    const free = [port, internalPort, workerPort, operatorPort, operatorInternalPort].map(async (each) => {
      const server = createServer().listen(each, '127.0.0.1');
      await once(server, 'listening');
      server.close();
      await once(server, 'close');
    });
    return (await Promise.allSettled(free)).every(({ status }) => status === 'fulfilled');
  }

  const isZombie = (pid: string) =>
    readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/\(.*\)/, '')
      .includes(' Z ');
  const ctrlC = ({ child }: Launcher) => process.kill(-(child.pid ?? 0), 'SIGINT');

  /** Executes the printed curl command. */
  async function paste(text: string): Promise<{ status: number; body: { id: string; name: string } }> {
    const [, authorization = '', url = ''] = /curl -s -H 'Authorization: ([^']+)' (\S+)/.exec(text) ?? [];
    const reply = await fetch(url, { headers: { authorization } });
    return { status: reply.status, body: (await reply.json()) as { id: string; name: string } };
  }

  it('answers the line that it prints; Ctrl-C leaves no process; a second start keeps the data, and a third beside it ends with one line; kill -9 costs nothing, though its number is another process’s then', async () => {
    let startedAt = performance.now();
    const took: number[] = [];
    const timed = () => took.push(Math.round(performance.now() - startedAt));

    const first = launch();
    await ready(first);
    timed();
    expect(first.text()).toContain(`http://localhost:${port}/api/v1`);
    expect(first.text()).toContain(`http://localhost:${port}/docs`);
    const metrics = first.text().match(/http:\S+\/metrics/g) ?? [];
    const scraped = await Promise.all(metrics.map(async (url) => (await fetch(url)).text()));
    expect(scraped.map((text) => text.includes('worker_jobs_overdue'))).toEqual([false, true, false]);
    const answer = await paste(first.text());
    expect(answer.status).toBe(200);
    // The worker fetches the demo customer's invoices, and the sandbox hears of them.
    const page = /http:\S+\/webhooks\//.exec(first.text())?.[0] ?? '';
    await until(async () => (await (await fetch(page)).text()).includes('signature holds'), 200);
    const [, link = '', token = ''] = /(http:\S+)\/#\/login\/link\?token=(\S+)/.exec(first.text()) ?? [];
    const login = await fetch(`${link}/operator/v1/login/link`, {
      method: 'POST',
      body: JSON.stringify({ token }),
      headers: { origin: link, 'content-type': 'application/json' },
    });
    expect([login.status, await login.json()]).toEqual([
      200,
      expect.objectContaining({ account: expect.objectContaining({ role: 'admin' }) }),
    ]);
    // The API warns of a login with too many rights.
    expect(first.text()).not.toContain('row level security');
    expect(await loginsIn(folder)).toEqual(['api_login', 'worker_login']);
    // The launcher, PostgreSQL, sandbox, worker, API and operator API.
    expect(ours().length).toBeGreaterThanOrEqual(6);
    ctrlC(first);
    expect(await first.exited).toBe(0);
    expect(ours()).toEqual([]);

    startedAt = performance.now();
    const second = launch();
    await ready(second);
    timed();
    expect((await paste(second.text())).body.id).toBe(answer.body.id);
    expect(second.text()).not.toContain('row level security');
    // The token of the first start is still valid.
    expect((await paste(first.text())).status).toBe(200);

    const again = launch();
    expect(await again.exited).toBe(1);
    expect(again.text()).toMatch(/^Port \d+ is taken: .*\n$/);
    const elsewhere = launch({
      PORT: String(await freePort()),
      INTERNAL_PORT: String(await freePort()),
      WORKER_INTERNAL_PORT: String(await freePort()),
      OPERATOR_PORT: String(await freePort()),
      OPERATOR_INTERNAL_PORT: String(await freePort()),
    });
    expect(await elsewhere.exited).toBe(1);
    expect(elsewhere.text()).toMatch(/^npm start is running in this folder already \(process \d+\); stop it first\n$/);
    expect((await paste(second.text())).status).toBe(200);

    // Of what people try out, nothing may keep the next start from succeeding: no command line reaches the database without it.
    await asOwner(folder, async (owner) => {
      await owner.query(`update customer set erased_at = now() where customer_number = 'demo'`);
      await owner.query(`update operator_account set active = false where email = 'demo@localhost'`);
    });
    second.child.kill('SIGKILL');
    const services = join(folder, '.data', 'services.json');
    const kept = JSON.parse(readFileSync(services, 'utf8')) as Record<string, string>;
    expect(kept.LAUNCHER_PID).toBe(String(second.child.pid));
    writeFileSync(services, JSON.stringify({ ...kept, LAUNCHER_PID: String(process.pid) }));
    startedAt = performance.now();
    const third = launch();
    await ready(third);
    timed();
    expect(third.text()).toContain('The demo customer was erased. Another one: npm run -s operator -- customer create');
    expect(third.text()).toContain('npm run -s operator -- account activate --account demo@localhost');
    expect(third.text()).not.toMatch(/undefined|Bearer|login\/link/);
    const [, former = ''] = /Bearer (\S+)'/.exec(second.text()) ?? [];
    expect(
      (await fetch(`http://localhost:${port}/api/v1/customer`, { headers: { authorization: `Bearer ${former}` } }))
        .status,
    ).toBe(200);
    third.child.kill('SIGTERM');
    expect(await third.exited).toBe(0);
    expect(ours()).toEqual([]);
    console.log(`npm start, without compiling: first ${took[0]} ms, second ${took[1]} ms, after kill -9 ${took[2]} ms`);
    // Some five seconds on a quiet machine.
    expect(took[1]).toBeLessThan(40_000);
  }, 240_000);

  // While PostgreSQL starts, and while the programs do.
  it.each([randomInt(600), randomInt(600, 2500)])(
    'leaves no process when Ctrl-C comes %s ms after the start',
    async (delay) => {
      const launcher = launch();
      await until(() => ours().length > 0);
      await new Promise((resolve) => setTimeout(resolve, delay));
      ctrlC(launcher);
      await launcher.exited;
      await until(() => ours().length === 0);
    },
    240_000,
  );

  it('makes the demo customer whole although the first start was killed while it made it, and the second one behind most of it', async () => {
    rmSync(join(folder, '.data'), { recursive: true, force: true });
    /** Kills the launcher as soon as the database has come to this, and then all others. */
    const killedWhen = async (hasCome: (owner: Client) => Promise<boolean>) => {
      const { child, text } = launch();
      const isReady = () => text().includes('Ctrl-C stops everything');
      const killed = async (owner: Client) => {
        await until(async () => isReady() || (await hasCome(owner)));
        return child.kill('SIGKILL');
      };
      await until(() => asOwner(folder, killed).catch(() => false));
      expect(isReady()).toBe(false);
      for (const pid of ours()) process.kill(pid, 'SIGKILL');
      await until(() => ours().length === 0);
    };
    await killedWhen(async (owner) => (await owner.query('select from customer')).rowCount === 1);
    await killedWhen(async (owner) => {
      // Until the end of the transaction: the last step waits for it.
      await owner.query('begin; lock table support_ticket_reply in share mode');
      const waiting = `select from pg_locks where relation = 'support_ticket_reply'::regclass and not granted`;
      return (await owner.query(waiting)).rowCount === 1;
    });
    // A developer's environment may have the key of a real provider.
    const third = launch({ ANTHROPIC_API_KEY: 'sk-not-one', SMS_GATEWAY: 'link-mobility' });
    await ready(third);
    expect((await paste(third.text())).status).toBe(200);
    expect(third.text()).toContain('REAL: AI provider. ');
    expect(third.text()).toContain('SANDBOX: SMS gateway, Stripe, Fiken.');
    expect(third.text()).not.toContain('Nothing is sent');
    const [, token = ''] = /Demo token +(\S+)/.exec(third.text()) ?? [];
    const sent = await fetch(`http://localhost:${port}/api/v1/sms/send`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ to: '+4790000001', message: 'Hello' }),
    });
    expect([sent.status, await sent.json()]).toEqual([201, expect.objectContaining({ status: 'accepted' })]);
    const { rows } = await asOwner(folder, (owner) =>
      owner.query(`select customer_number as number,
        (select array_agg(type order by type) from customer_service) as services,
        (select array_agg(model) from ai_settings where enabled) as ai,
        (select array_agg(sender_id) from sms_settings where enabled) as sms,
        (select array_agg(status || ' ' || (ends_at is not null) order by status) from status_event) as status,
        (select array_agg(number) from invoice where source = 'manual') as invoices,
        (select array_agg(source order by source) from billing_account) as billing,
        (select array_agg(title) from support_ticket) as tickets, (select count(*)::int from support_ticket_reply) as replies
      from customer`),
    );
    expect(rows).toEqual([
      {
        ...{ number: 'demo', services: ['ai', 'hosting', 'sms'], ai: ['claude-haiku-4-5'], sms: ['Fjordlys'] },
        ...{ status: ['degraded false', 'maintenance true'], invoices: ['1001'], billing: ['fiken', 'stripe'] },
        ...{ tickets: ['Slow web site'], replies: 1 },
      },
    ]);
    const [postmaster] = readFileSync(join(folder, '.data', 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    process.kill(Number(postmaster), 'SIGKILL');
    expect(await third.exited).toBe(1);
    expect(third.text()).toContain('The database stopped by itself');
  }, 240_000);

  it('starts nothing when a port is taken', async () => {
    const taken = createServer().listen(port, '127.0.0.1');
    await once(taken, 'listening');
    const launcher = launch();
    expect(await launcher.exited).toBe(1);
    expect(launcher.text()).toMatch(new RegExp(`^Port ${port} is taken: .*\\n$`));
    taken.close();
    await once(taken, 'close');
    expect(ours()).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no secrets', {}, /^(DATABASE_URL: is required|SECRETS_KEY: is required)/m],
    ['the sandbox', { SANDBOX_URL: 'http://127.0.0.1:1' }, /^SANDBOX_URL: .* refused when NODE_ENV=production$/m],
    ['the demo', { DEMO_CUSTOMER: 'true' }, /^DEMO_CUSTOMER: .* refused when NODE_ENV=production$/m],
  ])('in production makes nothing up: %s', async (_name, settings, line) => {
    const launcher = launch({ NODE_ENV: 'production', ...settings });
    expect(await launcher.exited).toBe(1);
    expect(launcher.text()).toMatch(line);
    expect(launcher.text()).not.toMatch(/^\s+at /m);
    expect(ours()).toEqual([]);
  });
}
