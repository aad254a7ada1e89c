import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent } from 'undici';
import { readStream, type StreamRequest } from './stream-load';

/** Time for a process to come to rest. */
const REST_MS = 2_000;

/** The resident memory that a process takes for each of `count` open streams, in kB. Linux only: undefined elsewhere. */
export async function memoryPerStream(pid: number, request: StreamRequest, count: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const agent = new Agent({ connections: count });
  await delay(REST_MS);
  const before = residentKb(pid);
  let begun = 0;
  const allBegun = Promise.withResolvers<void>();
  const streams = Array.from({ length: count }, () =>
    readStream(agent, request, () => {
      if (++begun === count) allBegun.resolve();
    }),
  );
  const ended = Promise.all(streams);
  await Promise.race([allBegun.promise, ended]);
  await delay(REST_MS);
  const used = residentKb(pid) - before;
  await ended;
  await agent.close();
  return used / count;
}

function residentKb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
