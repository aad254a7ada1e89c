import type { ServerResponse } from 'node:http';

const WORKS = Symbol('works of a closed reply');

type WatchedReply = ServerResponse & { [WORKS]?: (() => void)[] };

/**
 * Does something once when a reply is out, or its caller gone. One listener for all of ours: Fastify and Nest add seven to
 * a reply that is a stream, and Node takes more than ten for a leak.
 *
 * The list is a property of the reply. In a WeakMap its functions, which refer to the reply, would keep it and its request
 * alive through every minor garbage collection.
 */
export function onReplyClosed(reply: WatchedReply, work: () => void): void {
  if (reply[WORKS]) {
    reply[WORKS].push(work);
    return;
  }
  const works = (reply[WORKS] = [work]);
  reply.once('close', () => {
    for (const each of works) each();
  });
}
