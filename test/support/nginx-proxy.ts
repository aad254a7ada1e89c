import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port';
import { rssMb } from './send-hostile-bodies';

/** nginx with the configuration that the compose file gives it. */
export interface NginxProxy {
  /** Address of `/api/v1`, through the proxy. */
  baseUrl: string;
  /** What its processes take now, in megabytes. */
  rssMb(): number;
  /** The folder of its configuration. */
  folder: string;
  /** The end of its log. */
  said(): string;
  /** What names the configuration that is at work. */
  generation(): Promise<string>;
  /** Reads its configuration anew, with programs of this folder before others. @returns the exit code */
  reload(folder: string): Promise<number>;
  stop(): Promise<void>;
}

const PROXY = join(process.cwd(), 'apps', 'operator', 'proxy', 'proxy.sh');
/** Debian has it where the path of an ordinary user does not lead. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];

/** Tests that need nginx. On a machine without it they are skipped with a message; in CI (`CI=true`) that is a failure. */
export function describeWithNginx(title: string, tests: () => void): void {
  if (FOLDERS.some((folder) => existsSync(join(folder, 'nginx')))) return describe(title, tests);
  const missing = `NOT TESTED: ${title}. There is no nginx in the path.`;
  console.warn(missing);
  it(missing, () => expect(process.env.CI).not.toBe('true'));
}

/** Starts it before replicas of the API, and waits until it answers. */
export function startNginx(...origins: string[]): Promise<NginxProxy> {
  return startNginxWith({}, ...origins);
}

/** @param settings of the compose file that the container gets */
export async function startNginxWith(settings: Record<string, string>, ...origins: string[]): Promise<NginxProxy> {
  const run = await mkdtemp(join(tmpdir(), 'proxy-'));
  const [port, state] = [await freePort(), await freePort()];
  const hosts = origins.map((origin) => new URL(origin).host).join(' ');
  const env = {
    PATH: FOLDERS.join(delimiter),
    RUN: run,
    LISTEN: `127.0.0.1:${port}`,
    STATE: `127.0.0.1:${state}`,
    REPLICAS: hosts,
    INTERNAL: hosts,
    ...settings,
  };
  const program = spawn('sh', [PROXY, 'start'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  // Each connection that a replica refuses is a line of its own.
  let said = '';
  program.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-2000)));
  await answered(program, `http://127.0.0.1:${state}`, () => said);
  return {
    baseUrl: `http://127.0.0.1:${port}/api/v1`,
    rssMb: () => [program.pid, ...childrenOf(program.pid)].reduce<number>((sum, pid) => sum + rssMb(Number(pid)), 0),
    folder: run,
    said: () => said,
    generation: async () => (await fetch(`http://127.0.0.1:${state}`)).text(),
    reload: async (folder) => {
      const PATH = [folder, env.PATH].join(delimiter);
      const [code] = (await once(spawn('sh', [PROXY, 'reload'], { env: { ...env, PATH } }), 'exit')) as [number];
      return code;
    },
    stop: async () => {
      const exited = once(program, 'exit');
      program.kill('SIGTERM');
      await exited;
      await rm(run, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid = 0): string[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
}

async function answered(program: ChildProcess, url: string, said: () => string): Promise<void> {
  for (;;) {
    if (program.exitCode !== null) throw new Error(`nginx ended with ${program.exitCode}: ${said()}`);
    const reply = await fetch(url).catch(() => undefined);
    if (reply?.ok) return void (await reply.text());
    await delay(50);
  }
}
