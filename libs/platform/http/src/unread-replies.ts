import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LinkedList } from '@platform/collections';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { type Grant, HeldShares } from '@platform/fairness';
import { onReplyClosed, partyOf } from './connections';
import { inDialect, problemOf } from './problem';

/** Replies of fewer bytes are counted only if bytes before them wait for their reader: otherwise the system takes them at once. */
const SMALL_BYTES = 16 * 1024;
/** A stream counts as what it may have waiting for its reader: a portion, and the buffers on its way. */
const STREAM_BYTES = 256 * 1024;
/** A stream of events has small portions. */
const EVENTS_BYTES = 64 * 1024;
/** Bytes that a reader takes at least in the time that it has. */
const LEAST_BYTES = 64 * 1024;
const LOOK_MS = 500;
/** `Retry-After`: by then replies that were not read are ended. */
const RETRY_AFTER_SECONDS = 10;

/**
 * Bounds the memory of replies that their readers have not taken yet, for each party (the customer, or the network address before
 * it is known) and per process.
 */
@Injectable()
export class ReplyMemory {
  private readonly shares: HeldShares;
  /** By party, the oldest first. */
  private readonly held = new Map<string, LinkedList<HeldReply>>();
  /** Readers that were disconnected because they took too little. */
  slowReaders = 0;

  constructor({ REPLY_MEMORY_BYTES }: AppConfig) {
    this.shares = new HeldShares(REPLY_MEMORY_BYTES);
  }

  /** Bytes in use. */
  get bytes(): number {
    return this.shares.total;
  }

  /**
   * Before the work of a request is done.
   * @throws ServiceError rate_limited if replies that the customer does not read fill its share
   */
  admit(customerId: string): void {
    if (this.held.has(customerId) && this.shares.check(customerId, SMALL_BYTES) === 'share_used')
      throw refusal('share_used');
  }

  /** Takes the memory of a reply until the reply is closed. */
  take(reply: ServerResponse, party: string, bytes: number): Grant {
    const grant = this.shares.take(party, bytes);
    if (grant === 'granted') this.add(reply, party, bytes);
    return grant;
  }

  /**
   * Takes the memory of a reply that cannot be refused, since its work is done. If the share is used up, replies that the party
   * does not read are ended, the oldest first.
   */
  takeAnyway(reply: ServerResponse, party: string, bytes: number): void {
    for (const unread of this.held.get(party) ?? []) {
      if (this.shares.check(party, bytes) === 'granted') break;
      if (!unread.reply.socket?.writableLength) continue;
      unread.release();
      unread.reply.destroy();
    }
    this.shares.force(party, bytes);
    this.add(reply, party, bytes);
  }

  private add(reply: ServerResponse, party: string, bytes: number): void {
    const own = this.held.get(party) ?? new LinkedList();
    this.held.set(party, own);
    const release = () => {
      if (!place.remove()) return;
      if (own.size === 0) this.held.delete(party);
      this.shares.give(party, bytes);
    };
    const place = own.add({ reply, release });
    onReplyClosed(reply, release);
  }
}

/** A reply whose memory was taken. */
interface HeldReply {
  reply: ServerResponse;
  /** Gives its memory back. */
  release: () => void;
}

/**
 * Counts the replies of a server in its memory, as they are sent: to be added after the compression. A GET, or a reply that is sent
 * again, is refused when there is no memory left.
 */
export function boundReplies(server: FastifyInstance, memory: ReplyMemory): void {
  server.addHook(
    'onSend',
    (request, reply, payload: unknown, done: (error: Error | null, payload?: unknown) => void) => {
      const { raw } = reply;
      // Without a connection of its own yet, the reply waits behind the one to the request before.
      const waits = raw.socket === null || raw.socket.writableLength > 0;
      const bytes = bytesOf(payload, reply);
      if ((bytes < SMALL_BYTES && !waits) || bytes === 0 || raw.destroyed) return done(null, payload);
      const party = partyOf(request);
      if (hasEffect(request, reply)) {
        memory.takeAnyway(raw, party, bytes);
        return done(null, payload);
      }
      const grant = memory.take(raw, party, bytes);
      if (grant === 'granted') return done(null, payload);
      if (payload instanceof Readable) payload.destroy();
      done(null, refuse(request, reply, refusal(grant)));
    },
  );
}

/** Bytes that wait for their reader at most. */
function bytesOf(payload: unknown, reply: FastifyReply): number {
  if (typeof payload === 'string')
    return payload.length < SMALL_BYTES / 3 ? payload.length : Buffer.byteLength(payload);
  if (Buffer.isBuffer(payload)) return payload.length;
  if (!(payload instanceof Readable)) return 0;
  const most = String(reply.getHeader('content-type')).startsWith('text/event-stream') ? EVENTS_BYTES : STREAM_BYTES;
  return Math.min(most, Number(reply.getHeader('content-length') ?? most)) + (sources.get(payload) ?? 0);
}

/** Bytes that streams hold until they are read, besides those that wait. */
const sources = new WeakMap<Readable, number>();

/** Counts what a stream is made of, until its reply is closed. */
export function holdWhileSent(stream: Readable, bytes: number): void {
  sources.set(stream, bytes);
}

function hasEffect({ method }: FastifyRequest, reply: FastifyReply): boolean {
  return method !== 'GET' && method !== 'HEAD' && !reply.hasHeader('idempotency-replayed');
}

/** Headers of the reply that was to be sent. Others are of the request: its id, its limits. */
const OF_THE_CONTENT = /^(content-(?!security)|x-ai-|etag|last-modified|accept-ranges|idempotency-replayed|x-accel)/;

/** Makes a reply a refusal. @returns its body */
function refuse(request: FastifyRequest, reply: FastifyReply, error: ServiceError): string {
  request.problem = problemOf(error, request.id);
  const { status, headers, body, contentType } = inDialect(request, request.problem);
  for (const name of Object.keys(reply.getHeaders())) if (OF_THE_CONTENT.test(name)) reply.removeHeader(name);
  void reply.code(status).headers(headers).type(contentType);
  return JSON.stringify(body);
}

function refusal(grant: Exclude<Grant, 'granted'>): ServiceError {
  const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
  return grant === 'share_used'
    ? new ServiceError(
        'rate_limited',
        'Replies that you have not read fill your share of the memory; read them first',
        retry,
      )
    : new ServiceError('service_unavailable', 'The memory for replies is full; try again', retry);
}

/** Connections whose reply has a patience of its own. */
const excepted = new WeakSet<Socket>();

/** What a connection whose bytes wait had taken at a time. */
interface Progress {
  taken: number;
  at: number;
}

/** Closes connections whose reader takes less than {@link LEAST_BYTES} in `patienceMs` while bytes wait for it. */
export function endSlowReaders(server: Server, patienceMs: number, ended: () => void): void {
  const open = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, before] of open) {
      if (socket.writableLength === 0 || excepted.has(socket)) {
        if (before) open.set(socket, undefined);
        continue;
      }
      const taken = bytesTaken(socket);
      if (!before || taken - before.taken >= LEAST_BYTES) open.set(socket, { taken, at: now });
      else if (now - before.at >= patienceMs) {
        socket.destroy();
        ended();
      }
    }
  };
  const timer = setInterval(look, Math.min(LOOK_MS, patienceMs / 4)).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Gives the reader of a reply another patience: it is disconnected if it has not received the whole reply `patienceMs` after the last
 * of it was `written`.
 */
export function waitForReader(reply: FastifyReply, written: Promise<void>, patienceMs: number): void {
  const { raw } = reply;
  const { socket } = raw;
  if (socket) {
    excepted.add(socket);
    onReplyClosed(raw, () => excepted.delete(socket));
  }
  void written.then(() => {
    if (raw.destroyed || raw.closed) return;
    const timer = setTimeout(() => raw.destroy(), patienceMs).unref();
    raw.once('close', () => clearTimeout(timer));
  });
}

/**
 * Bytes that the system has taken from this process. `bytesWritten` counts those that wait, and `writableLength` all of a write
 * until its last byte is taken; Node's own time-out of sockets asks the handle as well.
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten - socket.writableLength;
}
