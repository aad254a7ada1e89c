import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GuideFolder, type ProgramEnd } from '@test/documents/guide-programs';
import type { TestAiCustomer } from '@test/ai-factories';
import { freePort } from '@test/free-port';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { startRecordingUpstream } from '@test/recording-upstream';
import { startTcpProxy, type TcpProxy } from '@test/tcp-proxy';
import { until } from '@test/until';

const LONG_MS = 120_000;
const JSON_TYPE = { 'content-type': 'application/json' };
/** Programs that ask for one answer, with the words that they are started with. */
const ASKING = {
  'ask.ts': ['Why?'],
  'retry.ts': ['Why?'],
  'sdk.ts': [],
  'vercel.ts': [],
  'stream.ts': [],
  'vercel-stream.ts': [],
  'events.ts': [],
};
const FILES = Object.keys(ASKING) as (keyof typeof ASKING)[];
/** They send the request once. The others send it again themselves. */
const ONCE = ['ask.ts', 'events.ts'];
const STREAMING = ['stream.ts', 'vercel-stream.ts', 'events.ts'] as const;

describe("programs of the customers' guide", () => {
  let full: FullApi;
  let folder: GuideFolder;
  let port: string;
  const proxies: TcpProxy[] = [];
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    port = String(await freePort());
    full = await startFullApi({
      PORT: port,
      // Many calls fail on purpose, and on a busy machine over a longer time: that is no outage.
      UPSTREAM_BREAKER_FAILURES: '1000',
      PUBLIC_URL: `http://localhost:${port}`,
    });
    folder = await GuideFolder.create();
  }, 300_000);
  afterAll(async () => {
    folder.remove();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all(closing.map((close) => close()));
    await full.stop();
  });
  afterEach(() => full.sandbox.reset());

  const caller = async (ai: Partial<TestAiCustomer> = {}) => {
    const { customer, token, call } = await createFullCaller(full, {}, ai);
    const proxy = await startTcpProxy(Number(port));
    proxies.push(proxy);
    const environment = { API: `http://127.0.0.1:${proxy.port}/api/v1`, TOKEN: token.token };
    return {
      customer,
      token: token.token,
      call,
      proxy,
      run: (file: string, words: string[] = []) => folder.run(file, environment, words),
    };
  };
  const start = async (file: keyof typeof ASKING, ai: Partial<TestAiCustomer> = {}) => {
    const { run, ...rest } = await caller(ai);
    return { ...rest, file, run: (...more: string[]) => run(file, [...ASKING[file], ...more]) };
  };
  const chargesOf = async (customerId: string) => {
    const { rows } = await full.api.superuser.query('select from ai_usage where customer_id = $1', [customerId]);
    return rows.length;
  };
  /** A caller whose programs wait for a tenth of a second whenever they are told to wait for longer. */
  const hastyCaller = async () => {
    const { customer, token } = await createFullCaller(full);
    const between = await startRecordingUpstream(full.api.origin, (headers) =>
      headers['retry-after'] === undefined ? {} : { 'retry-after': '0.1' },
    );
    closing.push(between.close);
    const proxy = await startTcpProxy(Number(new URL(between.url).port));
    proxies.push(proxy);
    const environment = { API: `http://127.0.0.1:${proxy.port}/api/v1`, TOKEN: token.token };
    return { customer, between, proxy, run: (file: string, words?: string[]) => folder.run(file, environment, words) };
  };
  /** @returns the API's address behind a proxy that passes every POST on, and loses the reply: it answers 503. */
  const losingReplies = async () => {
    const server: Server = createServer((request, reply) => {
      const { host: _, ...headers } = request.headers;
      const passed = httpRequest(
        new URL(request.url ?? '/', full.api.origin),
        { method: request.method, headers },
        (answer) => {
          if (request.method === 'GET')
            return void answer.pipe(reply.writeHead(answer.statusCode ?? 502, answer.headers));
          answer.resume().once('end', () => {
            reply.writeHead(503, { 'content-type': 'application/problem+json', 'retry-after': '0.01' });
            reply.end(JSON.stringify({ status: 503, code: 'service_unavailable', detail: 'Try again in a moment' }));
          });
        },
      );
      request.pipe(passed);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closing.push(async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
  };
  const keyIn = ({ stdout, stderr }: ProgramEnd) => /\bkey (?:is )?([0-9a-f-]{36})/.exec(stdout + stderr)?.[1];
  const breakConnection = (proxy: TcpProxy) => {
    proxy.down();
    proxy.up();
  };

  it(
    'whose reply is lost while they wait fetch it with their key, and pay once',
    async () => {
      const gate = full.sandbox.messages.hold();
      const started = await Promise.all(FILES.map((file) => start(file)));
      const first = started.map(({ run }) => run());
      await gate.holding(FILES.length);
      for (const { proxy } of started) breakConnection(proxy);
      gate.open();
      for (const [index, { file, customer, run }] of started.entries()) {
        let end = (await first[index])!;
        if (ONCE.includes(file)) {
          const key = keyIn(end);
          expect({ file, key }).toEqual({ file, key: expect.any(String) });
          do end = await run(key!);
          while ((end.stdout + end.stderr).includes('in_progress') && (await delay(200, true)));
        }
        const charges = await chargesOf(customer.id);
        expect({ file, ...end, charges }).toMatchObject({ file, exitCode: 0, stderr: '', charges: 1 });
        expect(end.stdout).toMatch(/haiku about Oslo|Why\?/);
      }
      expect(full.sandbox.messages.total).toBe(FILES.length);
    },
    LONG_MS,
  );

  it.each(['stream.ts', 'vercel-stream.ts'] as const)(
    'whose answer takes longer than their SDK repeats the request wait for it, and pay once: %s',
    async (file) => {
      const { customer, between, proxy, run } = await hastyCaller();
      const gate = full.sandbox.messages.hold();
      const end = run(file);
      await gate.holding(1);
      breakConnection(proxy);
      // The SDK has repeated it five times, and the program has asked again.
      await Promise.race([end, until(() => between.total() > 7)]);
      gate.open();
      expect({ ...(await end), charges: await chargesOf(customer.id) }).toMatchObject({
        exitCode: 0,
        stderr: '',
        charges: 1,
      });
      expect(full.sandbox.messages.total).toBe(1);
    },
    LONG_MS,
  );

  it.each(FILES)(
    'whose tries are used up say the key, with which they get the answer that is paid already: %s',
    async (file) => {
      const { customer, token, run } = await start(file);
      const end = await folder.run(file, { API: await losingReplies(), TOKEN: token }, ASKING[file]);
      const key = keyIn(end);
      expect({ key, charges: await chargesOf(customer.id) }).toEqual({ key: expect.any(String), charges: 1 });
      const again = await run(key!);
      expect({ ...again, charges: await chargesOf(customer.id) }).toMatchObject({
        exitCode: 0,
        stderr: '',
        charges: 1,
      });
      expect(full.sandbox.messages.total).toBe(1);
    },
    LONG_MS,
  );

  it.each(FILES)(
    'whose provider is overloaded for a moment say so or ask again, and pay once: %s',
    async (file) => {
      full.sandbox.messages.script({ status: 529 });
      const { customer, run } = await start(file);
      let end = await run();
      if (ONCE.includes(file)) {
        expect(end.stdout + end.stderr).toMatch(/The AI provider failed\. You were not charged/);
        expect(await chargesOf(customer.id)).toBe(0);
        end = await run();
      }
      expect({ ...end, charges: await chargesOf(customer.id) }).toMatchObject({ exitCode: 0, stderr: '', charges: 1 });
    },
    LONG_MS,
  );

  it.each(STREAMING)(
    'whose stream breaks off say so or ask again, and pay once: %s',
    async (file) => {
      full.sandbox.messages.script({ 'stream-cut': 4 });
      const { customer, run } = await start(file);
      let end = await run();
      if (ONCE.includes(file)) {
        expect(end.stdout).toMatch(/\(failed: The connection to the AI provider broke/);
        expect(keyIn(end)).toBeDefined();
        end = await run();
      } else expect(end.stdout).toMatch(/\n\(lost; once more\)\n/);
      expect({ ...end, charges: await chargesOf(customer.id) }).toMatchObject({ exitCode: 0, stderr: '', charges: 1 });
      expect(full.sandbox.messages.total).toBe(2);
    },
    LONG_MS,
  );

  it.each(FILES)(
    'who have no credit show the reason, and do not ask again: %s',
    async (file) => {
      const { customer, run } = await start(file, { included: 0 });
      const end = await run();
      expect(end.stdout + end.stderr).toContain('Your AI credit does not cover this message');
      expect({ charges: await chargesOf(customer.id), asked: full.sandbox.messages.total }).toEqual({
        charges: 0,
        asked: 0,
      });
    },
    LONG_MS,
  );

  it(
    'retry.ts waits for credit that another message has reserved',
    async () => {
      const { customer, token, call } = await createFullCaller(full, {}, { included: 0, purchased: 100 });
      const gate = full.sandbox.messages.hold();
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100_000 });
      const other = call('/ai/messages', { method: 'POST', body, headers: JSON_TYPE });
      await gate.holding(1);
      // Half a minute in truth.
      const between = await startRecordingUpstream(full.api.origin, (headers) =>
        headers['retry-after'] === undefined ? {} : { 'retry-after': '1' },
      );
      const end = folder.run('retry.ts', { API: `${between.url}/api/v1`, TOKEN: token.token });
      // It has been refused once when it asks again.
      await until(() => between.total() === 2);
      gate.open();
      expect((await other).status).toBe(201);
      expect(await end).toMatchObject({ exitCode: 0, stderr: '' });
      expect(await chargesOf(customer.id)).toBe(2);
      await between.close();
    },
    LONG_MS,
  );

  describe('send.ts', () => {
    const words = (message: string) => ['+4790000001', message];

    it('whose reply is lost gets it with its key: one SMS is sent', async () => {
      const { proxy, run } = await caller();
      const gate = full.sandbox.elks46.hold();
      const end = run('send.ts', words('Hello'));
      await gate.holding(1);
      breakConnection(proxy);
      gate.open();
      expect(await end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ is accepted\n$/) });
      expect(full.sandbox.elks46.total).toBe(1);
    });

    it('whose first try goes on for longer than five tries gets its reply: one SMS is sent', async () => {
      const { between, proxy, run } = await hastyCaller();
      const gate = full.sandbox.elks46.hold();
      const end = run('send.ts', words('Hello'));
      await gate.holding(1);
      breakConnection(proxy);
      await Promise.race([end, until(() => between.requests.length > 7)]);
      gate.open();
      expect(await end).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/ is accepted\n$/) });
      expect(full.sandbox.elks46.total).toBe(1);
    });

    it('whose tries are used up says the key, with which it gets the reply: one SMS is sent', async () => {
      const { token, run } = await caller();
      const end = await folder.run('send.ts', { API: await losingReplies(), TOKEN: token }, words('Hello'));
      expect(end).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('service_unavailable') });
      expect(await run('send.ts', [...words('Hello'), keyIn(end)!])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringMatching(/ is accepted\n$/),
      });
      expect(full.sandbox.elks46.total).toBe(1);
    });

    it.each([
      ['may have been sent', 'cut', /^[0-9a-f-]{36} is unknown: do not send it again\n$/],
      ['was not sent', 'no-credits', /^It was not sent; it can be sent again\n$/],
    ])('says that a message %s, and sends one', async (_, fault, said) => {
      const { run, call } = await caller();
      // A message with the same text and recipient whose outcome is unknown too must not be taken for it.
      await call('/sms/send', {
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify({ to: '+4790000001', message: `[[sandbox:cut]]` }),
      });
      full.sandbox.reset();
      const { stdout } = await run('send.ts', words(`[[sandbox:${fault}]]`));
      expect(stdout).toMatch(said);
      expect(full.sandbox.elks46.total).toBe(1);
    });

    it('says that a message was sent of which a report has come since, and a try with the same key sends none', async () => {
      const { run, call } = await caller();
      const key = randomUUID();
      const said = await run('send.ts', [...words('[[sandbox:cut]]'), key]);
      const [id] = /^[0-9a-f-]{36}/.exec(said.stdout) ?? [];
      // What a delivery report does.
      const { rowCount } = await full.api.superuser.query(`update sms_message set status = 'delivered' where id = $1`, [
        id,
      ]);
      expect(rowCount).toBe(1);
      full.sandbox.reset();
      expect(await run('send.ts', [...words('[[sandbox:cut]]'), key])).toMatchObject({
        exitCode: 0,
        stdout: `${id} is delivered: do not send it again\n`,
      });
      expect(full.sandbox.elks46.total).toBe(0);
      expect((await call(`/sms/log/${id}`)).status).toBe(200);
    });

    it('shows why the gateway refuses, and does not ask again', async () => {
      const { run } = await caller();
      const { stderr } = await run('send.ts', words('[[sandbox:refusal=Invalid]]'));
      expect(stderr).toContain('sms_gateway_rejected');
      expect(full.sandbox.elks46.total).toBe(1);
    });
  });

  it('top-up.ts tells its own request from one that was there', async () => {
    const { run, call } = await caller();
    expect((await run('top-up.ts')).stdout).toMatch(/request \d+ for 500 NOK is pending \(made now\)\n$/);
    expect((await run('top-up.ts')).stdout).toMatch(/is pending \(made at \S+Z, none was made now\)\n$/);
    const { ai } = (await (await call('/ai')).json()) as { ai: { month: string } };
    const another = await caller();
    const body = JSON.stringify({ amount_nok: 9000, reference: `topup-${ai.month}` });
    await another.call('/ai/credit-requests', { method: 'POST', headers: JSON_TYPE, body });
    expect((await another.run('top-up.ts')).stdout).toMatch(/request \d+ for 9000 NOK is pending \(made at \S+Z, none/);
  });

  it('save-pdf.ts reads a PDF of an API that has another name than its pdf_url', async () => {
    const { run, call } = await caller();
    const { data } = (await (await call('/invoices')).json()) as { data: { pdf_url: string }[] };
    expect(data[0]?.pdf_url).toMatch(/^http:\/\/localhost:/);
    expect(await run('save-pdf.ts')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^saved invoice-.*\.pdf\n$/),
    });
  });
});
