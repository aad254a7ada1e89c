import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type SandboxUrls, startSandbox } from './sandbox';

/** Runs TypeScript sources in a plain Node process: the process itself is tested here. */
const RUNNER = `
  const { transformFileSync } = require(${JSON.stringify(require.resolve('@swc/core'))});
  require.extensions['.ts'] = (module, file) => {
    const options = { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'commonjs' } };
    module._compile(transformFileSync(file, options).code, file);
  };
  require(${JSON.stringify(join(__dirname, 'main.ts'))});
`;

describe('the sandbox process', () => {
  let folder: string;
  let child: ChildProcess | undefined;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
    writeFileSync(join(folder, 'run.cjs'), RUNNER);
  });
  afterEach(() => {
    child?.kill('SIGKILL');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (args: string[], env: Record<string, string> = {}): ChildProcess => {
    child = spawn(process.execPath, [join(folder, 'run.cjs'), ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return child;
  };
  const listening = async (started: ChildProcess): Promise<{ url: string; urls: SandboxUrls }> => {
    const [message] = (await once(started, 'message')) as [{ type: string; url: string; urls: SandboxUrls }];
    expect(message.type).toBe('sandbox-listening');
    return message;
  };
  const ended = async (started: ChildProcess) => {
    const { stderr } = started;
    if (!stderr) throw new Error('no stderr');
    const [[code], errors] = await Promise.all([once(started, 'exit'), text(stderr)]);
    return { code: code as number | null, errors };
  };

  it('serves all upstreams on the loopback address, with demo invoices', async () => {
    const { url, urls } = await listening(run(['--port', '0']));

    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { authorization: 'Bearer key' };
    const stripe = await fetch(`${urls.stripe}/v1/invoices?customer=cus_demo`, { headers });
    expect(await stripe.json()).toMatchObject({ object: 'list', has_more: true });
    const fiken = await fetch(`${urls.fiken}/companies/demo/invoices?customerId=1001`, { headers });
    expect(fiken.headers.get('fiken-api-result-count')).toBe('12');
    expect((await fetch(`${urls.messages}/v1/messages`, { method: 'POST' })).status).toBe(401);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('stops cleanly on %s, also while a request hangs', async (signal) => {
    const started = run(['--port', '0']);
    const { urls } = await listening(started);
    const body = JSON.stringify({
      model: 'm',
      max_tokens: 1,
      messages: [{ role: 'user', content: '[[sandbox:slow-body=60000]]' }],
    });
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' };
    const reply = await fetch(`${urls.messages}/v1/messages`, { method: 'POST', headers, body });
    started.kill(signal);

    expect(await ended(started)).toEqual({ code: 0, errors: '' });
    await expect(reply.text()).rejects.toThrow('terminated');
  });

  it('stops when the process that started it is gone', async () => {
    const started = run(['--port', '0']);
    await listening(started);
    started.disconnect();

    expect(await ended(started)).toEqual({ code: 0, errors: '' });
  });

  it('refuses to run in production, with one line', async () => {
    expect(await ended(run(['--port', '0'], { NODE_ENV: 'production' }))).toEqual({
      code: 1,
      errors: 'The sandbox upstreams refuse to start when NODE_ENV=production.\n',
    });
  });

  it('says so when the port is taken', async () => {
    const other = await startSandbox();
    const { code, errors } = await ended(run(['--port', new URL(other.url).port]));
    await other.close();

    expect(code).toBe(1);
    expect(errors).toBe('The port of the sandbox is taken; choose another with --port N.\n');
  });

  it.each([
    [['--port', 'many'], /^--port takes a number.*\n$/],
    [['--link-gate', 'gate'], /^--link-gate takes ID=URL.*\n$/],
    [['--colour', 'red'], /^Unknown option '--colour'.*\n$/],
  ])('refuses %p', async (args, message) => {
    const { code, errors } = await ended(run(args));

    expect(code).toBe(1);
    expect(errors).toMatch(message);
  });
});
