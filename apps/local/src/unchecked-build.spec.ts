import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const env = { ...process.env, NODE_OPTIONS: '' };

describe('the build of a first start', () => {
  let folder: string;
  beforeAll(async () => {
    mkdirSync('dist', { recursive: true });
    // Below the repository, so that the packages are found.
    folder = mkdtempSync(resolve('dist', 'unchecked-'));
    const build = `import('./apps/local/unchecked-build.mjs').then((build) => build.buildUnchecked(${JSON.stringify(folder)}))`;
    await run(process.execPath, ['--eval', build], { env });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('describes the API like the checked build', async () => {
    const program = join(folder, 'apps', 'customer-api', 'src', 'openapi.js');
    await expect(run(process.execPath, [program, '--check', 'openapi.json'], { env })).resolves.toMatchObject({
      stderr: '',
    });
  });

  it('has a file for each source, and the SQL', () => {
    const sources = globSync('{apps,libs}/**/*.{ts,sql}', { exclude: ['**/node_modules/**'] }).filter(
      (path) => !path.endsWith('.spec.ts'),
    );
    const missing = sources.filter((path) => !existsSync(join(folder, path.replace(/\.ts$/, '.js'))));
    expect(sources.length).toBeGreaterThan(300);
    expect(missing).toEqual([]);
  });
});
