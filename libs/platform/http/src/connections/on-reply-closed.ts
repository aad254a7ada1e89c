import type { ServerResponse } from 'node:http';

const waiting = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Does something once when a reply is out, or its caller gone. One listener for all of ours: Fastify and Nest add seven to
 * a reply that is a stream, and Node takes more than ten for a leak.
 */
export function onReplyClosed(reply: ServerResponse, work: () => void): void {
  const works = waiting.get(reply);
  if (works) return void works.push(work);
  const first = [work];
  waiting.set(reply, first);
  reply.once('close', () => {
    for (const each of first) each();
  });
}
