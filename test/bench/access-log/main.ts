import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { loadConfig } from '@platform/config';
import { AccessLog, createLogger } from '@platform/logging';

const LINES = 200_000;
const ROUNDS = 4;
const ID = '0190a2b0-1111-4222-8333-444455556666';
const FIELDS = { request_id: ID, customer_id: ID, token_id: ID, method: 'GET', route: '/api/v1/services', status: 200 };

/** What a line of the access log costs, written in three ways; in turn, so that a slow moment hits them alike. */
async function main(): Promise<void> {
  const accessLog = new AccessLog({});
  const logger = createLogger(loadConfig({ LOG_LEVEL: 'info' }));
  const plain = pino(
    { base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ dest: 1, sync: false, minLength: 8192 }),
  );
  const ways: Record<string, () => void> = {
    'AccessLog, put together here': () =>
      accessLog.write({
        requestId: ID,
        customerId: ID,
        tokenId: ID,
        method: FIELDS.method,
        route: FIELDS.route,
        status: FIELDS.status,
        durationMs: 1.2345,
      }),
    'pino, nothing redacted': () => plain.info({ ...FIELDS, duration_ms: 1.2 }, 'request'),
    "pino, the process's logger": () => logger.info({ ...FIELDS, duration_ms: 1.2 }, 'request'),
  };
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, write] of Object.entries(ways)) {
      const each = await timeOf(write);
      if (round > 0) process.stderr.write(`  ${name.padEnd(30)} ${each.toFixed(1).padStart(6)} µs a line\n`);
    }
}

/** Microseconds for each of many lines. */
async function timeOf(write: () => void): Promise<number> {
  const begun = performance.now();
  for (let line = 0; line < LINES; line++) {
    write();
    if (line % 1000 === 0) await setImmediate();
  }
  return ((performance.now() - begun) * 1000) / LINES;
}

void main();
