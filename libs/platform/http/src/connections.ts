import { readFileSync } from 'node:fs';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { AppConfig } from '@platform/config';

/** File descriptors for other purposes: files, timers, signals, the log, the listening sockets, Redis. */
const OTHER_DESCRIPTORS = 64;
/** Minimum number of client connections, even with few descriptors. */
const LEAST = 16;
/** Requests in progress on one connection. Browsers and HTTP libraries send one at a time. */
const MOST_PIPELINED = 16;

/**
 * The maximum number of client connections that leaves enough file descriptors for the database and the upstreams:
 * without them a request could be accepted but not served. If descriptors are few, half of the rest is kept for calls
 * to upstreams.
 */
export function mostConnections(config: AppConfig, descriptors = descriptorLimit()): number {
  const { DATABASE_POOL_SIZE, DATABASE_PIPELINES, AI_LEDGER_CONNECTIONS, AI_UPSTREAM_CONNECTIONS } = config;
  const database = DATABASE_POOL_SIZE + DATABASE_PIPELINES + AI_LEDGER_CONNECTIONS + 6;
  const left = descriptors - OTHER_DESCRIPTORS - database;
  const upstreams = Math.min(AI_UPSTREAM_CONNECTIONS, Math.floor(left / 2));
  return Math.max(LEAST, Math.min(config.CLIENT_CONNECTIONS, left - upstreams));
}

/** The process's limit of open files; Infinity if the system does not tell. */
function descriptorLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}

/** The connections of a server without a request in progress, and since when (performance.now), the longest idle first. */
const idleConnections = new WeakMap<Server, Map<Socket, number>>();

/**
 * Closes the connections of a server that have had no request in progress for `idleMs`.
 * @param server one that {@link boundConnections} has been told of
 */
export function endIdleConnections(server: Server, idleMs: number): void {
  const before = performance.now() - idleMs;
  for (const [socket, since] of idleConnections.get(server) ?? []) {
    if (since > before) return;
    socket.destroy();
  }
}

/**
 * Bounds a server's connections. A connection above the bound replaces the one that has been idle longest, so that idle
 * clients do not shut others out. If none is idle, the new one is closed without a reply, so that a proxy tries another
 * replica.
 */
export function boundConnections(server: Server, most: number): void {
  let open = 0;
  const idle = new Map<Socket, number>();
  idleConnections.set(server, idle);
  server.prependListener('connection', (socket: Socket) => {
    open++;
    socket.once('close', () => {
      open--;
      idle.delete(socket);
    });
    if (open > most) {
      const [longest] = idle.keys();
      if (!longest) {
        // After the server has registered the connection.
        process.nextTick(() => socket.destroy());
        return;
      }
      idle.delete(longest);
      longest.destroy();
    }
    idle.set(socket, performance.now());
  });
  boundPipelining(server, idle);
}

/**
 * Bounds the requests in progress on each connection. A client may send further ones before the first is answered (pipelining, RFC
 * 9112 §9.3.2), and Node hands over hundreds of them in one turn of the event loop, which even as refusals keep others waiting. The
 * reply to the last one that is taken closes the connection; those behind it have no effect, and no reply.
 * @param idle those without a request in progress: one that gets its first is taken out until its last one is answered
 */
function boundPipelining(server: Server, idle: Map<Socket, number>): void {
  const inProgress = new WeakMap<Socket, number>();
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new Error('The server has no handler yet');
  server.removeListener('request', handle);
  server.on('request', (request, reply) => {
    const { socket } = request;
    const count = (inProgress.get(socket) ?? 0) + 1;
    if (count > MOST_PIPELINED) return ignoreRest(socket);
    if (count === 1) idle.delete(socket);
    // Beyond any count from now on: nothing behind this reply is taken.
    if (count === MOST_PIPELINED) reply.shouldKeepAlive = false;
    inProgress.set(socket, count === MOST_PIPELINED ? Infinity : count);
    onReplyClosed(reply, () => {
      const left = (inProgress.get(socket) ?? 0) - 1;
      inProgress.set(socket, left);
      if (left === 0 && !socket.destroyed) idle.set(socket, performance.now());
    });
    handle(request, reply);
  });
}

/**
 * Reads no further request of a connection. Those that are in its buffer already are parsed all the same: without the parser's
 * listener, a part of Node that is not documented, each would get a reply object, and at the end an error with a stack.
 */
function ignoreRest(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  socket.pause();
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => 0;
}

/** The network that an address stands for: IPv6 addresses count by their /64 prefix, which one customer controls. */
export function networkOf({ ip }: FastifyRequest): string {
  return normalizeIp(ip);
}

/** Who pays for a request: its customer or, if it has none, its network. */
export function partyOf(request: FastifyRequest): string {
  return request.customer?.customerId ?? networkOf(request);
}

const WORKS = Symbol('works of a closed reply');

type WatchedReply = ServerResponse & { [WORKS]?: (() => void)[] };

/**
 * Calls `work` once when a reply is complete, or its client disconnected. One listener for all of ours: Fastify and Nest add
 * seven to a reply that is a stream, and Node takes more than ten for a leak.
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

/** Disconnects a client that has not received its whole reply `patienceMs` after the last of it was `written`. */
export function endSlowReply(reply: ServerResponse, written: Promise<void>, patienceMs: number): void {
  void written.then(() => {
    if (reply.destroyed || reply.closed) return;
    const timer = setTimeout(() => reply.destroy(), patienceMs).unref();
    reply.once('close', () => clearTimeout(timer));
  });
}
