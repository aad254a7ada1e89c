import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { CLIENTS, installClients } from '@test/client-packages';
import { createFullCaller, type FullApi, startFullApi } from '@test/full-api';

const run = promisify(execFile);
const PROGRAMS = ['hey-api', 'openapi-fetch', 'orval'];
/** Command line programs of the packages. */
const TOOLS = {
  heyApi: `${CLIENTS}/node_modules/@hey-api/openapi-ts/bin/run.js`,
  openapiTypescript: `${CLIENTS}/node_modules/openapi-typescript/bin/cli.js`,
  orval: `${CLIENTS}/node_modules/orval/dist/bin/orval.mjs`,
  tsc: 'node_modules/typescript/bin/tsc',
};

/** Generates clients from openapi.json, compiles them under `strict`, and calls the service with them. */
describe('a generated client', () => {
  let full: FullApi;
  let folder: string;
  let caller: Record<string, string | number>;
  let compiler: { stdout: string } | undefined;

  const tool = (name: keyof typeof TOOLS, ...options: string[]) =>
    run(process.execPath, [resolve(TOOLS[name]), ...options], {
      cwd: folder,
      env: { ...process.env, BASE_URL: full.api.baseUrl, CALLER: JSON.stringify(caller), NODE_OPTIONS: '' },
    });

  beforeAll(async () => {
    await installClients();
    full = await startFullApi();
    const { token, invoice, service } = await createFullCaller(full);
    caller = { baseUrl: full.api.baseUrl, token: token.token, invoiceId: invoice.id, serviceId: service.id };
    await mkdir('dist', { recursive: true });
    // Below the repository, so that the packages are found.
    folder = await mkdtemp(resolve('dist', 'clients-'));
    const packages = resolve(CLIENTS, 'node_modules');
    await cp(CLIENTS, folder, { recursive: true, filter: (path) => resolve(path) !== packages });
    await symlink(packages, join(folder, 'node_modules'));
    await cp('openapi.json', join(folder, 'openapi.json'));
    await Promise.all([
      tool('heyApi'),
      tool('openapiTypescript', 'openapi.json', '-o', 'openapi-typescript.ts'),
      tool('orval', '-c', 'orval.config.mjs'),
    ]);
    compiler = await tool('tsc', '-p', '.').catch((failure: unknown) => failure as { stdout: string });
  }, 300_000);

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await full.stop();
  });

  it('compiles under strict', () => expect(compiler?.stdout).toBe(''));

  it.each(PROGRAMS)('of %s calls every operation, and each succeeds', async (name) => {
    const program = join(folder, 'compiled', `${name}.program.js`);
    const { stdout } = await run(process.execPath, [program], {
      env: { ...process.env, CALLER: JSON.stringify(caller), NODE_OPTIONS: '' },
    });
    const statuses = JSON.parse(stdout) as Record<string, number>;
    expect(Object.keys(statuses).sort()).toEqual(await operationIds());
    expect(Object.entries(statuses).filter(([, status]) => ![200, 201, 204].includes(status))).toEqual([]);
  });
});

async function operationIds(): Promise<string[]> {
  const { paths } = JSON.parse(await readFile('openapi.json', 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
    .sort();
}
