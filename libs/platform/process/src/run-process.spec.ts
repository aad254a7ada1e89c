import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { compileCache } from '@test/compile-cache';

const LIBRARY = join(process.cwd(), 'dist', 'libs', 'platform', 'process', 'src', 'index.js');

/** Runs a program of the compiled library, which `start` is the start of. It says "closing" when it is closed. */
function run(start: string) {
  const program = `
    const closing = (end) => ({ close: () => (process.stdout.write('closing;'), end()) });
    require(${JSON.stringify(LIBRARY)}).runProcess(${start});
    setInterval(() => undefined, 1000);`;
  const child = fork('-e', [program], {
    env: { PATH: process.env.PATH, ...compileCache },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  });
  const ended = Promise.all([once(child, 'exit'), text(child.stdout!), text(child.stderr!)]).then(
    ([[code], stdout, stderr]) => ({ code: code as number, stdout, stderr }),
  );
  return { child, ready: once(child, 'message'), ended };
}

describe('a process', () => {
  it('tells its parent when it is ready, and ends with 0 once it is closed', async () => {
    const { child, ready, ended } = run('async () => closing(async () => undefined)');
    expect((await ready)[0]).toBe('ready');
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, stdout: 'closing;', stderr: '' });
  });

  it('is closed once, however often it is asked to end', async () => {
    const { child, ready, ended } = run(
      'async () => closing(() => new Promise((resolve) => process.once("SIGINT", () => setTimeout(resolve, 20))))',
    );
    await ready;
    child.kill('SIGTERM');
    await once(child.stdout!, 'data');
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, stdout: 'closing;', stderr: '' });
  });

  it('is closed when its parent is gone', async () => {
    const { child, ready, ended } = run('async () => closing(async () => undefined)');
    await ready;
    child.disconnect();
    expect(await ended).toEqual({ code: 0, stdout: 'closing;', stderr: '' });
  });

  it('says why it could not start, and ends with 1', async () => {
    const { ended } = run(
      'async () => { throw Object.assign(new Error("in use"), { code: "EADDRINUSE", port: 81 }); }',
    );
    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringMatching(/^Port 81 is taken: .*\n$/) });
  });

  it('says the first reason if there are several, such as one for each address of a host', async () => {
    const refused = 'Object.assign(new Error("refused"), { code: "ECONNREFUSED", address: "::1", port: 5432 })';
    const { ended } = run(`async () => { throw new AggregateError([${refused}, new Error("second")]); }`);
    const stderr = 'The database does not answer at ::1:5432 (DATABASE_URL)\n';
    expect(await ended).toMatchObject({ code: 1, stderr });
  });

  it('says why it could not be closed, and ends with 1', async () => {
    const { child, ready, ended } = run('async () => closing(async () => { throw new Error("stuck") })');
    await ready;
    child.kill('SIGTERM');
    expect(await ended).toEqual({
      code: 1,
      stdout: 'closing;',
      stderr: 'Could not stop cleanly: Error: stuck\n',
    });
  });

  it('ends with 1 at the end of its time if closing it hangs', async () => {
    const { child, ready, ended } = run(
      'async () => ({ ...closing(() => new Promise(() => undefined)), stopWithinMs: 50 })',
    );
    await ready;
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 1, stdout: 'closing;', stderr: 'Could not stop in time\n' });
  });
});
