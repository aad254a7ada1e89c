import type { FastifyReply } from 'fastify';
import { type Answer, htmlPage, json, type StreamScript } from '../answer';
import type { Directives } from './directives';
import type { Gate } from './gate';

/** Directives of every upstream for the transport of its reply. */
export const TRANSPORT = ['delay', 'cut', 'cut-body', 'slow-body', 'drip', 'flood', 'hang'] as const;

/** Faults of the transport of a reply; all undefined by default. */
export interface Manner {
  delayMs: number;
  ending: 'whole' | 'cut' | 'cut-body' | 'slow-body' | 'drip' | 'flood' | 'hang';
  slowBodyMs: number;
  /** Milliseconds between two bytes of a body that drips. */
  dripMs: number;
  /** Megabytes of blanks before the body. */
  floodMegabytes: number;
}

/** Faults and waits ahead of a reply. */
interface SendFaults {
  how: Manner | undefined;
  /** Work that must end before the reply is written. */
  before: Promise<void> | undefined;
  gate: Gate | undefined;
}

/** Directives of every upstream that replace or corrupt the content of its reply. */
export const DISTORTIONS = ['not-json', 'not-json-error', 'empty', 'truncated', 'wrong-shape'] as const;

export function manner(directives: Directives): Manner | undefined {
  if (directives.isEmpty) return undefined;
  const ending =
    (['hang', 'cut', 'cut-body', 'slow-body', 'drip', 'flood'] as const).find((name) => directives.has(name)) ??
    'whole';
  const delayMs = directives.number('delay') ?? 0;
  return {
    delayMs,
    ending,
    slowBodyMs: ending === 'slow-body' ? (directives.number('slow-body') ?? 0) : 0,
    dripMs: ending === 'drip' ? (directives.number('drip') ?? 0) : 0,
    floodMegabytes: ending === 'flood' ? (directives.number('flood') ?? 0) : 0,
  };
}

/** Writes the reply with these faults, after the gate has released it. */
export function deliver(reply: FastifyReply, answer: Answer, { how, before, gate }: SendFaults): void {
  if (!how && !before && !gate && !answer.stream) {
    void reply.code(answer.status).headers(answer.headers).send(answer.body);
    return;
  }
  // Takes the response over from Fastify, which must not reply on a connection that is about to be cut.
  reply.hijack();
  deliverSlowly(reply, answer, { how, before, gate }).catch((error: unknown) => reply.raw.destroy(error as Error));
}

async function deliverSlowly(reply: FastifyReply, answer: Answer, { how, before, gate }: SendFaults): Promise<void> {
  await before;
  await pause(reply, how?.delayMs ?? 0);
  await gate?.enter();
  const { raw } = reply;
  if (raw.destroyed || how?.ending === 'hang') return;
  if (how?.ending === 'cut') {
    raw.destroy();
    return;
  }
  if (answer.stream && how?.ending !== 'flood' && how?.ending !== 'drip') {
    raw.writeHead(answer.status, answer.headers);
    await play(reply, answer.stream);
    return;
  }
  const body = Buffer.from(answer.body as string);
  if (how?.ending === 'drip' || how?.ending === 'flood') {
    // Chunked: the length is not announced.
    raw.writeHead(answer.status, answer.headers);
    await (how.ending === 'drip' ? drip(reply, body, how.dripMs) : flood(reply, body, how.floodMegabytes));
    return;
  }
  raw.writeHead(
    answer.status,
    answer.status === 204 ? answer.headers : { ...answer.headers, 'content-length': body.length },
  );
  if (how?.ending !== 'cut-body' && how?.ending !== 'slow-body') {
    raw.end(body);
    return;
  }
  const half = firstHalf(body);
  await new Promise<void>((resolve) => raw.write(half, () => resolve()));
  if (how.ending === 'cut-body') {
    raw.destroy();
    return;
  }
  await pause(reply, how.slowBodyMs);
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- the pause leaves time for the caller to go
  if (!raw.destroyed) raw.end(body.subarray(half.length));
}

/** Waits, at most until the connection is closed. */
function pause(reply: FastifyReply, milliseconds: number): Promise<void> {
  if (milliseconds === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      reply.raw.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    reply.raw.once('close', done);
  });
}

/** The events one by one, as their script says. */
async function play(reply: FastifyReply, { events, pauseMs, ending }: StreamScript): Promise<void> {
  const { raw } = reply;
  for (const event of events) {
    if (raw.destroyed) return;
    if (!raw.write(event)) await taken(reply);
    await pause(reply, pauseMs);
  }
  if (ending === 'cut') raw.write('', () => raw.destroy());
  else if (ending === 'end' && !raw.destroyed) raw.end();
}

/** Writes a byte at a time, for as long as the client waits. */
async function drip(reply: FastifyReply, body: Buffer, everyMs: number): Promise<void> {
  for (let sent = 0; sent < body.length && !reply.raw.destroyed; sent++) {
    reply.raw.write(body.subarray(sent, sent + 1));
    await pause(reply, Math.max(1, everyMs));
  }
  if (!reply.raw.destroyed) reply.raw.end();
}

/** Writes blanks, which JSON allows, as fast as the client reads them; then the body. */
async function flood(reply: FastifyReply, body: Buffer, megabytes: number): Promise<void> {
  const blanks = Buffer.alloc(1024 * 1024, ' ');
  for (let sent = 0; sent < megabytes && !reply.raw.destroyed; sent++) {
    if (!reply.raw.write(blanks)) await taken(reply);
  }
  if (!reply.raw.destroyed) reply.raw.end(body);
}

/** Resolves when more can be written, or the client has disconnected. */
function taken({ raw }: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      raw.off('drain', done);
      raw.off('close', done);
      resolve();
    };
    raw.once('drain', done);
    raw.once('close', done);
  });
}

/** The reply after the directives. */
export function distort(answer: Answer, directives: Directives): Answer {
  if (directives.isEmpty) return answer;
  const raw = directives.rawReply;
  if (raw) {
    const status = raw.status ?? 200;
    if (typeof raw.body === 'string' || Buffer.isBuffer(raw.body)) {
      return { status, headers: { 'content-type': 'application/json', ...raw.headers }, body: raw.body };
    }
    return json(status, raw.body, raw.headers);
  }
  if (directives.has('not-json')) return htmlPage(200);
  if (directives.has('not-json-error')) return htmlPage(directives.number('not-json-error') ?? 502);
  if (directives.has('empty')) return { ...answer, body: '', stream: undefined };
  if (directives.has('truncated')) return { ...answer, body: firstHalf(answer.body), stream: undefined };
  if (directives.has('wrong-shape')) return { ...answer, body: '{"unexpected":true}', stream: undefined };
  return answer;
}

function firstHalf(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
