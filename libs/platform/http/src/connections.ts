import { readFileSync } from 'node:fs';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { BlockList, Socket } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import type { AppConfig } from '@platform/config';
import { type Grant, HeldShares } from '@platform/fairness';
import { ConnectionGate } from './connection-gate';

/** File descriptors for other purposes: files, timers, signals, the log, the listening sockets, Redis. */
const OTHER_DESCRIPTORS = 64;
/**
 * Database connections that no setting counts: heartbeats, changed tokens, delivery reports, two for locked AI accounts, and that
 * of the lock on Fiken.
 */
const OTHER_DATABASE_CONNECTIONS = 6;
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
  const database = DATABASE_POOL_SIZE + DATABASE_PIPELINES + AI_LEDGER_CONNECTIONS + OTHER_DATABASE_CONNECTIONS;
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

/** Node asks the `blockList` of an HTTP server, too, whose constructor does not take it. */
export interface GatedServer extends Server {
  blockList?: BlockList;
}

/** The idle connections of a server, all of them. */
const idleConnections = new WeakMap<Server, IdleConnections>();

/**
 * Closes the connections of a server that have had no request in progress for `idleMs`.
 * @param server one that {@link boundConnections} has been told of
 */
export function endIdleConnections(server: Server, idleMs: number): void {
  idleConnections.get(server)?.endThose(performance.now() - idleMs);
}

/** An open connection of a server. */
interface OpenConnection {
  readonly socket: Socket;
  /** The network that it comes from, if networks have shares. */
  readonly network: string | undefined;
  inProgress: number;
  requests: number;
  /** Since when it has had no request in progress. */
  idleSince: number;
}

const openConnections = new WeakMap<Socket, OpenConnection>();

/** Whether a connection has brought no other request than the one that is being handled. */
export function isFirstOfConnection(socket: Socket): boolean {
  return openConnections.get(socket)?.requests === 1;
}

/** Connections without a request in progress: of all networks, and of each one. */
class IdleConnections {
  /** The longest idle first. */
  private readonly all = new Set<OpenConnection>();
  private readonly byNetwork = new Map<string, Set<OpenConnection>>();

  add(connection: OpenConnection): void {
    connection.idleSince = performance.now();
    this.all.add(connection);
    if (connection.network === undefined) return;
    const own = this.byNetwork.get(connection.network);
    if (own) own.add(connection);
    else this.byNetwork.set(connection.network, new Set([connection]));
  }

  delete(connection: OpenConnection): void {
    if (!this.all.delete(connection) || connection.network === undefined) return;
    const own = this.byNetwork.get(connection.network);
    own?.delete(connection);
    if (own?.size === 0) this.byNetwork.delete(connection.network);
  }

  /** The one that has been idle longest. */
  longest(): OpenConnection | undefined {
    return this.all.values().next().value;
  }

  longestOf(network: string): OpenConnection | undefined {
    return this.byNetwork.get(network)?.values().next().value;
  }

  endThose(before: number): void {
    for (const { socket, idleSince } of this.all) {
      if (idleSince > before) return;
      socket.destroy();
    }
  }
}

/** Bounds of a server's connections. */
export interface ConnectionBounds {
  most: number;
  /** Whether connections come from their clients. From a proxy, all come from one network, which has no share then. */
  direct: boolean;
}

/**
 * Bounds a server's connections, of all and of each network, which may have as many as are still free. A connection above a bound
 * replaces the one that has been idle longest, of the same network if it has an idle one: so neither idle clients nor those that open
 * very many shut others out. If none is idle, the new one is closed without a reply, so that a proxy tries another replica.
 */
export function boundConnections(server: GatedServer, { most, direct }: ConnectionBounds): void {
  const shares = new HeldShares(most);
  const idle = new IdleConnections();
  idleConnections.set(server, idle);
  /** The one that gives way to a further one, if it has to replace one; undefined if there is none. */
  const replaceable = (network: string | undefined, grant: Grant) =>
    (network === undefined ? undefined : idle.longestOf(network)) ??
    (grant === 'all_used' ? idle.longest() : undefined);
  if (direct) {
    const hasRoom = (network: string) => {
      const grant = shares.check(network);
      return grant === 'granted' || replaceable(network, grant) !== undefined;
    };
    server.blockList = new ConnectionGate({ hasRoom, networks: () => shares.parties });
  }
  server.prependListener('connection', (socket: Socket) => {
    const network = direct ? normalizeIp(socket.remoteAddress ?? '') : undefined;
    const grant = shares.check(network);
    if (grant !== 'granted') {
      const longest = replaceable(network, grant);
      if (!longest) {
        // After the server has registered the connection.
        process.nextTick(() => socket.destroy());
        return;
      }
      idle.delete(longest);
      longest.socket.destroy();
    }
    // The one that gives way is counted until it has closed.
    shares.force(network);
    const connection = { socket, network, inProgress: 0, requests: 0, idleSince: 0 };
    openConnections.set(socket, connection);
    idle.add(connection);
    socket.once('close', () => {
      shares.give(network);
      idle.delete(connection);
    });
  });
  boundPipelining(server, idle);
}

/**
 * Bounds the requests in progress on each connection. A client may send further ones before the first is answered (pipelining, RFC
 * 9112 §9.3.2), and Node hands over hundreds of them in one turn of the event loop, which even as refusals keep others waiting. The
 * reply to the last one that is taken closes the connection; those behind it have no effect, and no reply.
 * @param idle those without a request in progress: one that gets its first is taken out until its last one is answered
 */
function boundPipelining(server: Server, idle: IdleConnections): void {
  const [handle] = server.listeners('request') as RequestListener[];
  if (!handle) throw new Error('The server has no handler yet');
  server.removeListener('request', handle);
  server.on('request', (request, reply) => {
    const { socket } = request;
    const connection = openConnections.get(socket);
    // Closed in the turn in which it was accepted.
    if (!connection) return ignoreRest(socket);
    const count = connection.inProgress + 1;
    if (count > MOST_PIPELINED) return ignoreRest(socket);
    connection.requests++;
    if (count === 1) idle.delete(connection);
    // Beyond any count from now on: nothing behind this reply is taken.
    if (count === MOST_PIPELINED) reply.shouldKeepAlive = false;
    connection.inProgress = count === MOST_PIPELINED ? Infinity : count;
    onReplyClosed(reply, () => {
      connection.inProgress--;
      if (connection.inProgress === 0 && !socket.destroyed) idle.add(connection);
    });
    handle(request, reply);
  });
}

/** What a listener of Node's HTTP parser returns for a request that changes the protocol: what follows it is not parsed. */
const PROTOCOL_CHANGES = 2;

/**
 * Reads no further request of a connection. At the next one the parser throws away what it has in its buffer, which may be hundreds: their
 * headers alone take milliseconds. The parser's listener is a part of Node that is not documented; without this each would get a
 * reply object, and at the end an error with a stack.
 */
function ignoreRest(socket: Socket & { parser?: { onIncoming?: unknown } | null }): void {
  socket.pause();
  if (socket.parser?.onIncoming) socket.parser.onIncoming = () => PROTOCOL_CHANGES;
}

/**
 * The network that an address stands for: IPv6 addresses count by their /64 prefix, which one customer controls. Empty if the connection
 * was reset before its address was read.
 */
export function networkOf({ ip }: { ip: FastifyRequest['ip'] | undefined }): string {
  return normalizeIp(ip ?? '');
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
 * Of a reply that waits behind another one when its connection closes, Node tells it from 24.16 on: its work would never end.
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
