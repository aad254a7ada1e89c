import { type FastifyReply } from 'fastify';
import { type Answer, type StreamScript } from '../answer';
import { type Directives } from './directives';
import { firstHalf } from './distort';
import { type Gate } from './gate';

/** Directives of every upstream about how its answer travels. */
export const TRANSPORT = ['delay', 'cut', 'cut-body', 'slow-body', 'drip', 'flood', 'hang'] as const;

/** How an answer travels; nothing at all when it travels plainly. */
export interface Manner {
  delayMs: number;
  ending: 'whole' | 'cut' | 'cut-body' | 'slow-body' | 'drip' | 'flood' | 'hang';
  slowBodyMs: number;
  /** Milliseconds between two bytes of a body that drips. */
  dripMs: number;
  /** Megabytes of blanks before the body. */
  floodMegabytes: number;
}

/** What an answer waits for. */
export interface SendFaults {
  how: Manner | undefined;
  /** Work that has to end before the answer is written. */
  before: Promise<void> | undefined;
  gate: Gate | undefined;
}

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

/** Writes the answer, in the given manner and not before the gate lets it go. */
export function deliver(reply: FastifyReply, answer: Answer, { how, before, gate }: SendFaults): void {
  if (!how && !before && !gate && !answer.stream) {
    void reply.code(answer.status).headers(answer.headers).send(answer.body);
    return;
  }
  // The response is ours from here: Fastify must not answer a connection that we are about to cut.
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
    // In chunks: nothing says beforehand how long it will be.
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

/** Waits, but no longer than the connection lives. */
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

/** A byte at a time: no pause is long, and the whole takes as long as the caller lets it. */
async function drip(reply: FastifyReply, body: Buffer, everyMs: number): Promise<void> {
  for (let sent = 0; sent < body.length && !reply.raw.destroyed; sent++) {
    reply.raw.write(body.subarray(sent, sent + 1));
    await pause(reply, Math.max(1, everyMs));
  }
  if (!reply.raw.destroyed) reply.raw.end();
}

/** Blanks, which JSON allows, as fast as the caller takes them; then the body. */
async function flood(reply: FastifyReply, body: Buffer, megabytes: number): Promise<void> {
  const blanks = Buffer.alloc(1024 * 1024, ' ');
  for (let sent = 0; sent < megabytes && !reply.raw.destroyed; sent++) {
    if (!reply.raw.write(blanks)) await taken(reply);
  }
  if (!reply.raw.destroyed) reply.raw.end(body);
}

/** Resolves when there is room for more, or nobody is there any more. */
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
