import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ApiProcess } from './api-process';

/** What a process was like while it was watched. */
export interface WatchedProcess {
  /** Milliseconds that `/health/live` took, each time. */
  liveMs: number[];
  /** Megabytes of memory that it grew by at the most. */
  grownMegabytes: number;
}

const PROGRAM = `
  const http = require('node:http');
  const { readFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  const agent = new http.Agent({ keepAlive: true });
  const resident = () => Number(/VmRSS:\\s+(\\d+) kB/.exec(readFileSync('/proc/' + workerData.pid + '/status', 'utf8'))[1]) / 1024;
  const live = () => new Promise((resolve, reject) => {
    const began = performance.now();
    http.get(workerData.origin + '/health/live', { agent }, (reply) => {
      reply.resume();
      reply.on('end', () => resolve(performance.now() - began));
    }).on('error', reject);
  });
  let done = false;
  parentPort.on('message', () => (done = true));
  (async () => {
    await live();
    const before = resident();
    const liveMs = [];
    let most = before;
    parentPort.postMessage('watching');
    while (!done) {
      liveMs.push(await live());
      most = Math.max(most, resident());
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    parentPort.postMessage({ liveMs, grownMegabytes: most - before });
  })();
`;

/** Watches a process while `work` goes on, from beside it: what keeps the test busy does not count. */
export async function watchWhile(api: ApiProcess, work: () => Promise<void>): Promise<WatchedProcess> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { pid: api.child.pid, origin: api.origin } });
  await once(worker, 'message');
  await work();
  worker.postMessage('stop');
  const [seen] = (await once(worker, 'message')) as [WatchedProcess];
  await worker.terminate();
  return seen;
}
