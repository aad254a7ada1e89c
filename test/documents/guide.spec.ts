import { execFile } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { curlCalls } from '@test/documents/curl';
import { type CodeBlock, readDocument } from '@test/documents/markdown';
import { saveFakeInvoice } from '@test/factories/invoice.factory';
import { freePort } from '@test/free-port';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';

const run = promisify(execFile);

/** Examples of the guide for customers' developers, by their page. */
const examples = globSync('docs/guide/*.md')
  .sort()
  .flatMap((path) => readDocument(path).blocks.map((block) => [path, block] as const));
const programs = examples.filter(([, { language }]) => language === 'ts');
const calls = examples.filter(([, { language, text }]) => language === 'sh' && text.includes('curl '));

describe("examples of the customers' guide", () => {
  let full: FullApi;
  let folder: string;
  let environment: { API: string; TOKEN: string };

  beforeAll(async () => {
    const port = String(await freePort());
    // Addresses of PDFs begin with the public one.
    full = await startFullApi({ PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` });
    const { token } = await createFullCaller(full);
    mkdirSync('dist', { recursive: true });
    // Below the repository, so that the packages are found.
    folder = mkdtempSync(resolve('dist', 'guide-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    environment = { API: full.api.baseUrl, TOKEN: token.token };
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
    await full.stop();
  });

  it('are many', () => {
    expect(programs.length).toBeGreaterThanOrEqual(7);
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

  const runProgram = async ({ options, text }: CodeBlock, variables = environment, words: string[] = []) => {
    const file = join(folder, options.file ?? 'example.ts');
    writeFileSync(file, text);
    return run(process.execPath, [file, ...words], { env: { NODE_ENV: 'test', ...variables }, cwd: folder });
  };

  it.each(programs)('that are programs run: %s', async (_, program) => {
    const { stdout, stderr } = await runProgram(program);
    expect({ said: stdout.length > 0, stderr }).toEqual({ said: true, stderr: '' });
  });

  const named = (file: string) => programs.find(([, { options }]) => options.file === file)?.[1] as CodeBlock;

  it.each([
    ['ask.ts', /^\S/],
    ['sdk.ts', /^\S/],
    ['vercel.ts', /^\S[^]*\n[1-9]\d* tokens\n$/],
    ['stream.ts', /^\S[^]*\n\(end_turn, [1-9]\d* tokens\)\n$/],
    ['vercel-stream.ts', /^\S[^]*\n\(stop\)\n$/],
    ['events.ts', /^\S[^]*\n\(charged\)\n$/],
  ])('ask for one answer, show it, and pay for one: %s', async (file, shown) => {
    const { customer, token } = await createFullCaller(full);
    const { stdout } = await runProgram(named(file), { ...environment, TOKEN: token.token });
    expect(stdout).toMatch(shown);
    const { rows } = await full.api.superuser.query('select from ai_usage where customer_id = $1', [customer.id]);
    expect(rows).toHaveLength(1);
  });

  it('read every page of a list, and nothing twice', async () => {
    const { customer, token } = await createFullCaller(full);
    const numbers = Array.from({ length: 405 }, (_, number) => String(number));
    for (const number of numbers) await saveFakeInvoice(full.api.superuser, customer.id, { number });
    const { stdout } = await runProgram(named('pages.ts'), { ...environment, TOKEN: token.token });
    const read = stdout.trim().split('\n');
    expect(read.pop()).toBe('406 invoices');
    expect(read.map((line) => line.split(':', 1)[0]).sort()).toEqual([...numbers, '10042'].sort());
  });

  it('look up an unconfirmed SMS instead of sending it again', async () => {
    const { stdout } = await runProgram(named('send.ts'), environment, ['+4790000001', '[[sandbox:cut]] Hello']);
    expect(stdout).toMatch(/ is unknown: do not send it again$/m);
  });
});
