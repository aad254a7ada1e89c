import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { curlCalls } from '@test/documents/curl';
import { guideExamples, GuideFolder, guidePrograms } from '@test/documents/guide-programs';
import type { CodeBlock } from '@test/documents/markdown';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { freePort } from '@test/free-port';
import { startRecordingUpstream } from '@test/recording-upstream';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';
import { WorkerModule } from '../../apps/worker/src/worker.module';

/** Addresses of requests that cost something. */
const SPENDING = /\/ai\/messages$|\/ai\/v1\/messages$|\/sms\/send$|\/ai\/credit-requests$/;
const calls = guideExamples.filter(([, { language, text }]) => language === 'sh' && text.includes('curl '));

describe("examples of the customers' guide", () => {
  let full: FullApi;
  let worker: INestApplicationContext;
  let folder: GuideFolder;
  let environment: { API: string; TOKEN: string };

  beforeAll(async () => {
    const port = String(await freePort());
    // Addresses of PDFs begin with the public one.
    // A program receives webhooks on this machine.
    const settings = { PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, WEBHOOK_ALLOW_PRIVATE: 'true' };
    full = await startFullApi(settings);
    worker = await NestFactory.createApplicationContext(WorkerModule.with(full.api.database.config), { logger: false });
    const { token } = await createFullCaller(full);
    folder = await GuideFolder.create();
    environment = { API: full.api.baseUrl, TOKEN: token.token };
  }, 300_000);
  afterAll(async () => {
    folder.remove();
    await worker.close();
    await full.stop();
  });

  it('are many', () => {
    expect(guidePrograms.length).toBeGreaterThanOrEqual(7);
    expect(calls.length).toBeGreaterThanOrEqual(12);
  });

  it.each(calls)('that call with curl are answered: %s', async (_, { text, options }: CodeBlock) => {
    for (const { url, init } of curlCalls(text, environment)) {
      const reply = await fetch(url, init);
      expect({ url, status: reply.status }).toEqual({
        url,
        status: options.status ? Number(options.status) : reply.ok && reply.status,
      });
    }
  });

  it.each(guidePrograms.map(([page, { options }]) => [page, options.file ?? 'a program without a file']))(
    'that are programs run: %s, %s',
    async (_, file) => {
      const { exitCode, stdout, stderr } = await folder.run(file, environment);
      expect({ exitCode, said: stdout.length > 0, stderr }).toEqual({ exitCode: 0, said: true, stderr: '' });
    },
  );

  it('send an Idempotency-Key with every AI message, SMS and credit request', async () => {
    // The page on errors shows a request that is refused.
    const called = calls.flatMap(([, { text, options }]) => (options.status ? [] : curlCalls(text, environment)));
    const spending = called.filter(({ url, init }) => init.method === 'POST' && SPENDING.test(url));
    expect(spending.length).toBeGreaterThanOrEqual(6);
    expect(spending.filter(({ init }) => init.headers['Idempotency-Key'] === undefined)).toEqual([]);
    const between = await startRecordingUpstream(full.api.origin);
    const through = { ...environment, API: `${between.url}/api/v1` };
    await Promise.all(guidePrograms.map(([, { options }]) => folder.run(options.file ?? '', through)));
    await between.close();
    const posted = between.requests.filter(({ method }) => method === 'POST');
    expect(new Set(posted.map(({ url }) => SPENDING.exec(url ?? '')?.[0])).size).toBeGreaterThanOrEqual(4);
    expect(posted.filter(({ headers }) => headers['idempotency-key'] === undefined)).toEqual([]);
  }, 240_000);

  it.each([
    ['ask.ts', /^\S/],
    ['sdk.ts', /^\S/],
    ['vercel.ts', /^\S[^]*\n[1-9]\d* tokens\n$/],
    ['stream.ts', /^\S[^]*\n\(end_turn, [1-9]\d* tokens\)\n$/],
    ['vercel-stream.ts', /^\S[^]*\n\(stop\)\n$/],
    ['events.ts', /^\S[^]*\n\(charged\)\n$/],
  ])('ask for one answer, show it, and pay for one: %s', async (file, shown) => {
    const { customer, token } = await createFullCaller(full);
    const { stdout } = await folder.run(file, { ...environment, TOKEN: token.token });
    expect(stdout).toMatch(shown);
    const { rows } = await full.api.superuser.query('select from ai_usage where customer_id = $1', [customer.id]);
    expect(rows).toHaveLength(1);
  });

  it('read every page of a list, and nothing twice', async () => {
    const { customer, token } = await createFullCaller(full);
    const numbers = Array.from({ length: 405 }, (_, number) => String(number));
    for (const number of numbers) await saveFakeInvoice(full.api.superuser, customer.id, { number });
    const { stdout } = await folder.run('pages.ts', { ...environment, TOKEN: token.token });
    const read = stdout.trim().split('\n');
    expect(read.pop()).toBe('406 invoices');
    expect(read.map((line) => line.split(':', 1)[0]).sort()).toEqual([...numbers, '10042'].sort());
  });
});
