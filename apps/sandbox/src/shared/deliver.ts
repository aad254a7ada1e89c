import { type FastifyReply } from 'fastify';
import { type Answer } from './answer';
import { type Directives } from './directives';
import { firstHalf } from './distort';
import { type Gate } from './gate';

/** Directives of every upstream about how its answer travels. */
export const TRANSPORT = ['delay', 'cut', 'cut-body', 'slow-body', 'hang'] as const;

/** How an answer travels; nothing at all when it travels plainly. */
export interface Manner {
  delayMs: number;
  ending: 'whole' | 'cut' | 'cut-body' | 'slow-body' | 'hang';
  slowBodyMs: number;
}

/** What an answer waits for. */
export interface Obstacles {
  how: Manner | undefined;
  /** Work that has to end before the answer is written. */
  before: Promise<void> | undefined;
  gate: Gate | undefined;
}

export function manner(directives: Directives): Manner | undefined {
  if (directives.isEmpty) return undefined;
  const ending = (['hang', 'cut', 'cut-body', 'slow-body'] as const).find((name) => directives.has(name)) ?? 'whole';
  const delayMs = directives.number('delay') ?? 0;
  return { delayMs, ending, slowBodyMs: ending === 'slow-body' ? (directives.number('slow-body') ?? 0) : 0 };
}

/** Writes the answer, in the given manner and not before the gate lets it go. */
export function deliver(reply: FastifyReply, answer: Answer, { how, before, gate }: Obstacles): void {
  if (!how && !before && !gate) {
    void reply.code(answer.status).headers(answer.headers).send(answer.body);
    return;
  }
  // The response is ours from here: Fastify must not answer a connection that we are about to cut.
  reply.hijack();
  deliverSlowly(reply, answer, { how, before, gate }).catch((error: unknown) => reply.raw.destroy(error as Error));
}

async function deliverSlowly(reply: FastifyReply, answer: Answer, { how, before, gate }: Obstacles): Promise<void> {
  await before;
  await pause(reply, how?.delayMs ?? 0);
  await gate?.enter();
  const { raw } = reply;
  if (raw.destroyed || how?.ending === 'hang') return;
  if (how?.ending === 'cut') {
    raw.destroy();
    return;
  }
  const body = Buffer.from(answer.body as string);
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
