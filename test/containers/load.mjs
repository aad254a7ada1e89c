// A steady load of nine kinds of requests: node load.mjs ORIGIN TOKEN. Each line on standard input names a phase that
// begins; `end` ends. Then it prints one line of JSON for each phase: requests, most in progress at a time, and failures by kind
// and outcome, with the time from the first to the last and what is known of each, the first FAILURES_SHOWN of them.
import { createInterface } from 'node:readline';

const PER_SECOND = Number(process.env.LOAD_PER_SECOND ?? 200);
const FAILURES_SHOWN = 40;
const [origin, token] = process.argv.slice(2);

const get = (path) => ({ path });
const post = (path, body) => ({ path, body: JSON.stringify(body) });
const KINDS = [
  () => get('/customer'),
  () => get('/services'),
  () => get('/status'),
  () => get('/ai'),
  () => get('/invoices'),
  () => get('/support/tickets'),
  () => post('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5 }),
  () => post('/ai/messages', { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 5, stream: true }),
  (n) => post('/sms/send', { to: '+4791234567', message: `Number ${n}` }),
];

const phases = [];
let phase;
const begin = (name) =>
  phases.push(
    (phase = {
      name,
      requests: 0,
      in_progress: 0,
      failed: 0,
      failing_ms: 0,
      slowest_ms: 0,
      outcomes: {},
      failures: [],
    }),
  );

/** By phase. */
const firstFailureAt = new Map();
const setFirst = (one) => firstFailureAt.set(one, performance.now()).get(one);

async function send(n) {
  const { path, body } = KINDS[n % KINDS.length](n);
  const mine = phase;
  mine.requests++;
  const startedAt = performance.now();
  const failure = await failureOf(path, body).catch((error) => ({
    outcome: error.cause?.code ?? error.cause?.message ?? error.message,
  }));
  const ms = Math.round(performance.now() - startedAt);
  mine.slowest_ms = Math.max(mine.slowest_ms, ms);
  if (!failure) return;
  mine.failed++;
  mine.failing_ms = Math.round(performance.now() - (firstFailureAt.get(mine) ?? setFirst(mine)));
  const key = `${path} ${failure.outcome}`;
  mine.outcomes[key] = (mine.outcomes[key] ?? 0) + 1;
  if (mine.failures.length < FAILURES_SHOWN) mine.failures.push({ at: new Date().toISOString(), path, ms, ...failure });
}

/** Undefined if the request was answered as it should be, to its last byte. */
async function failureOf(path, body) {
  const reply = await fetch(`${origin}/api/v1${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    body,
  });
  const request_id = reply.headers.get('x-request-id');
  const text = await reply.text();
  if (!reply.ok) {
    const { code, detail } = JSON.parse(text);
    return { outcome: `${reply.status} ${code}`, detail, request_id };
  }
  const streamed = reply.headers.get('content-type')?.startsWith('text/event-stream');
  if (streamed && !text.includes('message_stop'))
    return { outcome: 'incomplete', detail: text.slice(-200), request_id };
  return undefined;
}

begin('warm-up');
let n = 0;
const sending = new Set();
const startedAt = performance.now();
const timer = setInterval(() => {
  for (const due = ((performance.now() - startedAt) / 1000) * PER_SECOND; n < due; n++) {
    const one = send(n).finally(() => sending.delete(one));
    sending.add(one);
    phase.in_progress = Math.max(phase.in_progress, sending.size);
  }
}, 5);

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'end') break;
  begin(line);
}
clearInterval(timer);
await Promise.all(sending);
for (const one of phases) console.log(JSON.stringify(one));
process.exit(0);
