import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ApiProcess } from './api-process';

/** Measurements of a process. */
export interface WatchedProcess {
  /** Latencies of `/health/live` in milliseconds. */
  liveMs: number[];
  /** Maximum growth of its memory in megabytes. */
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

/** Measures a process during `work`, from a separate process, so that the test's own CPU time does not count. */
export async function watchWhile(api: ApiProcess, work: () => Promise<void>): Promise<WatchedProcess> {
  const worker = new Worker(PROGRAM, { eval: true, workerData: { pid: api.child.pid, origin: api.origin } });
  await once(worker, 'message');
  await work();
  worker.postMessage('stop');
  const [seen] = (await once(worker, 'message')) as [WatchedProcess];
  await worker.terminate();
  return seen;
}
