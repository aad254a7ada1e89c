import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startSandbox } from '../../apps/sandbox/src/sandbox';
import { enableAi, saveModelPrice } from './ai-factories';
import { startApiProcess } from './api-process';
import { saveFakeCustomer } from './factories/customer.factory';
import { saveFakeToken } from './factories/service-token.factory';
import type { HostileBody } from './hostile-bodies';
import { connectAsSuperuser, createTestDatabase } from './test-database';

/** What was seen while bodies were thrown at the API. */
export interface Observed {
  /** Statuses by shape, refusals for want of memory left out. */
  answers: { shape: string; status: number; ok: boolean }[];
  /** Longest wait for `/health/live`. */
  slowestHealthMs: number;
  /** Longest block of the event loop, with the time that other processes had the CPU. */
  longestBlockMs: number;
  /** The most CPU time that the event loop's thread took before it turned to something else. */
  longestTurnMs: number;
  largestRssMb: number;
  alive: boolean;
}

/** The resolution of Node's own measure of the event loop's delay, which it adds. */
const RESOLUTION_MS = 10;

/** A little longer than the watch of turns takes to write a line. */
const WATCH_STEP_MS = 300;
const TURN_WATCH = join(process.cwd(), 'test', 'support', 'turn-watch.cjs');

/** Asks for the health of the API from a thread of its own: the test's thread is busy with bodies. */
const WATCH_HEALTH = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { Agent, get } = require('node:http');
  const agent = new Agent({ keepAlive: true });
  let slowest = 0, failed = 0;
  const ask = () => {
    const begun = performance.now();
    const done = (ok) => { slowest = Math.max(slowest, performance.now() - begun); if (!ok) failed++; setTimeout(ask, 10); };
    get(workerData, { agent }, (reply) => { reply.resume(); reply.on('end', () => done(reply.statusCode === 200)); }).on('error', () => done(false));
  };
  ask();
  parentPort.on('message', () => parentPort.postMessage({ slowest, failed }));
`;

/** Starts the built API with a heap of 512 MB and sends it the bodies, so many at a time. */
export async function floodWithBodies(bodies: Iterable<HostileBody>, atATime: number): Promise<Observed> {
  const sandbox = await startSandbox();
  const database = await createTestDatabase();
  const superuser = await connectAsSuperuser(database);
  const { id } = await saveFakeCustomer(superuser);
  const { token } = await saveFakeToken(superuser, id);
  await enableAi(superuser, id, { model: await saveModelPrice(superuser), included: 10_000_000 });
  const turns = join(tmpdir(), `turns-${id}`);
  const api = await startApiProcess({
    DATABASE_URL: database.url,
    // As in a container of 1 GB.
    NODE_OPTIONS: `--max-old-space-size=512 --max-semi-space-size=64 --require ${TURN_WATCH}`,
    TURN_WATCH_FILE: turns,
    ANTHROPIC_BASE_URL: sandbox.urls.messages,
    ANTHROPIC_API_KEY: 'sk-service-wide-key',
    AI_UPSTREAM_TIMEOUT_MS: '60000',
    RATE_LIMIT_REQUESTS_PER_MINUTE: '100000',
    RATE_LIMIT_AI_PER_MINUTE: '100000',
    RATE_LIMIT_ADDRESS_PER_MINUTE: '1000000',
  });
  const health = new Worker(WATCH_HEALTH, { eval: true, workerData: `${api.origin}/health/live` });
  // Measured anew from here on: starting is no part of it.
  await lag(api.metricsUrl);
  await wait(WATCH_STEP_MS);
  writeFileSync(turns, '');
  let largestRssMb = 0;
  const sampling = setInterval(() => (largestRssMb = Math.max(largestRssMb, rssMb(api.child.pid))), 20);
  const answers: Observed['answers'] = [];
  const queue = bodies[Symbol.iterator]();
  const run = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      const { shape, body, expected } = next.value;
      const status = await sendUntilTaken(`${api.baseUrl}/ai/messages`, token, body);
      answers.push({ shape, status, ok: expected.includes(status) });
    }
  };
  await Promise.all(Array.from({ length: atATime }, run));
  const longestBlockMs = (await lag(api.metricsUrl)) - RESOLUTION_MS;
  clearInterval(sampling);
  await wait(WATCH_STEP_MS);
  const longestTurnMs = Math.max(...readFileSync(turns, 'utf8').trim().split('\n').map(Number));
  rmSync(turns);
  const watched = await new Promise<{ slowest: number; failed: number }>((resolve) => {
    health.once('message', resolve);
    health.postMessage('report');
  });
  await health.terminate();
  const alive = api.child.exitCode === null && api.child.signalCode === null && watched.failed === 0;
  await api.stop();
  await sandbox.close();
  await superuser.end();
  await database.drop();
  return { answers, slowestHealthMs: watched.slowest, longestBlockMs, longestTurnMs, largestRssMb, alive };
}

/** Sends a body, again as long as there is no memory for it, as the reply says. */
async function sendUntilTaken(url: string, token: string, body: Buffer): Promise<number> {
  for (;;) {
    const { status, retryAfter } = await send(url, token, body);
    if (status !== 429 && status !== 503) return status;
    await wait(Number(retryAfter) * 200);
  }
}

function send(url: string, token: string, body: Buffer): Promise<{ status: number; retryAfter: string | undefined }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' };
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length } }, (reply) => {
      reply
        .resume()
        .once('end', () => resolve({ status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] }));
    });
    // A connection that is reset before its reply was read is a fault: refusals must arrive.
    sent.once('error', reject).end(body);
  });
}

async function lag(metricsUrl: string): Promise<number> {
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1000;
}

/** Memory of a process; 0 when it has ended. */
export function rssMb(pid: number | undefined): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return 0;
  }
}
