import { setTimeout as delay } from 'node:timers/promises';
import { WorkerLoop } from './worker-loop';

describe('A loop of a worker', () => {
  /** Runs it with one outcome after the other, until the last run is aborted. */
  async function runWith(outcomes: ('well' | 'fails')[]): Promise<{ runs: number; failures: unknown[] }> {
    const failures: unknown[] = [];
    let runs = 0;
    const last = Promise.withResolvers<void>();
    const loop = new WorkerLoop({
      everyMs: 1,
      run: async (signal) => {
        const outcome = outcomes[runs++];
        if (outcome === 'fails') throw new Error(`run ${runs}`);
        if (outcome === 'well') return;
        last.resolve();
        await delay(60_000, undefined, { signal });
      },
      failed: (error) => failures.push((error as Error).message),
    });
    loop.start();
    await last.promise;
    await loop.stop();
    return { runs, failures };
  }

  it('goes on after a failure, and reports the first of several in a row', async () => {
    const { failures } = await runWith(['fails', 'fails', 'well', 'fails', 'well']);
    expect(failures.slice(0, 2)).toEqual(['run 1', 'run 4']);
  });

  it('stops with the run in progress, which is aborted, and begins no other', async () => {
    expect((await runWith(['well'])).runs).toBe(2);
  });
});
