import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const [release = ''] = readFileSync(join(__dirname, 'commit'), 'utf8').split(/\s/);
const folder = join(process.cwd(), '.data', 'former-release', release);

/** Specs of the former release that together call every route of the customers, with the stand-ins of the upstreams. */
const SPECS = [
  'customer',
  'services',
  'ai-messages',
  'ai-streams',
  'ai-credit',
  'ai-usage',
  'invoices',
  'invoice-pdf-links',
  'support-tickets',
  'ticket-threads',
  'sms',
  'status',
  'details',
].map((name) => `test/e2e/${name}.spec.ts`);

/**
 * All but those that run the operator's commands, which are of the former release too and not compiled; and one of a body of 32 MB, for which
 * a slow machine takes longer than the provider's time limit, and which no schema concerns.
 */
const TESTS = "^(?!.*(the operator|uses the customer's own key|takes 32 MB))";

/** In a rolling upgrade the API of the former release goes on with the new schema: `npm run test:former-release`, in a clone that has its commit. */
describe('the API of the former release', () => {
  it('passes its own specs on the present schema', async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    execFileSync('sh', ['-c', 'git archive "$0" | tar x -C "$1"', release, folder]);
    for (const packages of ['node_modules', 'test/support/conformance/node_modules'])
      symlinkSync(join(process.cwd(), packages), join(folder, packages));
    // TEST_DATABASE_URL and TEST_TEMPLATE, which this run has set, name a database with the present schema.
    expect(process.env.TEST_TEMPLATE).toMatch(/^template_/);
    const missing = SPECS.filter((path) => !existsSync(join(folder, path)));
    expect(missing).toEqual([]);
    const node = ['--experimental-vm-modules', 'node_modules/.bin/jest'];
    const jest = ['--maxWorkers=2', '--testNamePattern', TESTS, '--runTestsByPath', ...SPECS];
    const run = promisify(execFile)(process.execPath, [...node, ...jest], {
      cwd: folder,
      maxBuffer: 1e8,
      timeout: 580_000,
    });
    const { stderr } = await run.catch((error: unknown) => error as { stderr: string });
    // A spec file that cannot be loaded has no tests.
    expect(stderr).toContain(`\nTest Suites: ${SPECS.length} passed, ${SPECS.length} total\n`);
    expect(stderr).toMatch(/\nTests: +(\d+ skipped, )?\d+ passed, \d+ total\n/);
    console.log(/\nTests: .*\nSnapshots:.*\nTime: .*/.exec(stderr)?.[0]);
  }, 600_000);
});
