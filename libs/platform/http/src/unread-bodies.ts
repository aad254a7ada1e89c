import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BodyPieces, type PieceBound, turnBudget } from './body-limits';

/** Node's parser of a connection. It calls this function for each piece of a body. */
interface ConnectionParser {
  [ON_BODY]?: TakePiece;
  incoming: IncomingMessage | null;
}
interface TakePiece {
  (this: ConnectionParser, piece: Buffer): unknown;
  /** Node's own, if this is one of ours. */
  usual?: TakePiece;
}
const ON_BODY = 3;

/**
 * Of a body that nobody reads: of a GET, or behind a refusal. Its pieces have the size of those that programs send: a read of 64 kB in
 * pieces of 16 bytes takes 8 ms, and nobody pays for them.
 */
const UNREAD_BODY: PieceBound = { free: 64, bytesEach: 256 };
/** What the pieces of such a body cost until they are dropped, in milliseconds. */
export const DROPPED_PIECES_MS = 4;

/** Event of a request: the rest of its body is dropped. */
export const DROPPED = Symbol('body dropped');
const inTooManyPieces = new WeakSet<IncomingMessage>();

/** Event of a request: its body has not arrived in time. */
export const LATE = Symbol('body late');

/** Tells who reads the body that a connection is bringing that it is late: the reader answers. @returns whether there is one */
export function endLateBody({ parser }: Socket & { parser?: ConnectionParser | null }): boolean {
  const request = parser?.incoming;
  return request?.complete === false && request.emit(LATE);
}

/** Whether the rest of a request's body is dropped: its connection is to be closed. */
export function comesInTooManyPieces(request: IncomingMessage): boolean {
  return inTooManyPieces.has(request);
}

/**
 * Drops the rest of a body that comes in too many pieces, in the parser itself: 64 kB are read at a time, and ten thousand chunks of a
 * byte in them would take 20 ms before anybody could refuse the body. One piece too many is passed on: it shows the fault.
 */
export function boundPieces(server: Server): void {
  let usual: TakePiece | undefined;
  server.prependListener('request', (request: IncomingMessage, reply: ServerResponse) => {
    const { parser } = request.socket as { parser?: ConnectionParser | null };
    if (!parser) return;
    // A parser may come from another server of the process.
    usual ??= parser[ON_BODY]?.usual ?? parser[ON_BODY];
    const take = usual;
    // Parsers are used again, for later requests and connections.
    if (parser[ON_BODY] !== take) parser[ON_BODY] = take;
    if (request.headers['transfer-encoding'] === undefined || !take) return;
    const pieces = new BodyPieces();
    const bounded: TakePiece = function (piece) {
      if (this.incoming !== request) this[ON_BODY] = take;
      else if (
        pieces.add(piece.length) ||
        (pieces.exceed(UNREAD_BODY) && (!takesBody(request.method) || reply.headersSent))
      ) {
        this[ON_BODY] = undefined;
        request.socket.prependOnceListener('close', () => (this[ON_BODY] = take));
        inTooManyPieces.add(request);
        request.socket.pause();
        request.emit(DROPPED);
      }
      return take.call(this, piece);
    };
    bounded.usual = take;
    parser[ON_BODY] = bounded;
  });
}

/** Most bytes of a refused request's body that are read before the connection is closed. */
const MOST_DISCARDED_BYTES = 32 * 1024 * 1024;
const LONGEST_DISCARDING_MS = 10_000;
/** A body this small needs no bound: Node reads and discards it. */
const SMALL_BYTES = 16 * 1024;

/**
 * Discards a body that nobody reads, within bounds: Node would read all of it, behind the reply, whatever its size. To be called before
 * the reply is sent. @param closes whether the reply ends the connection: then even a small body is waited for
 * @returns resolves at its end; undefined if there is nothing to wait for
 */
export function discardUnread(
  request: IncomingMessage,
  reply: ServerResponse,
  closes = false,
): Promise<void> | undefined {
  const { complete, headers } = request;
  if (complete || !hasBody(headers) || (!closes && isSmall(headers))) return undefined;
  return discardBefore(request, reply);
}

/** Whether the rest of a body cannot come: the connection has ended, or a fault in the body was answered on it. */
export function isCutOff({ complete, socket }: IncomingMessage): boolean {
  return !complete && (socket.destroyed || socket.writableEnded);
}

/** Whether a request's headers announce a body. */
export function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isSmall(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BYTES;
}

/** Discards are begun once for each request: a refusal may follow. */
const discards = new WeakMap<IncomingMessage, Promise<void>>();

/** Discards a body. One beyond the bounds costs its sender the connection, once the reply is sent. */
function discardBefore(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  let discarded = discards.get(request);
  if (!discarded) {
    discarded = discardRest(request, () => {
      if (reply.writableFinished) request.socket.destroySoon();
      else reply.once('finish', () => request.socket.destroySoon());
    });
    discards.set(request, discarded);
  }
  return discarded;
}

/**
 * Reads and discards the rest of a body, so that a client that is still sending can read the reply instead of being cut
 * off (RFC 9112 §9.6). Ends with the body, with the connection, or at a limit of size, pieces or time; then the connection is
 * closed after the reply.
 */
export function discardRest(request: IncomingMessage, onOverrun: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = MOST_DISCARDED_BYTES;
    const pieces = new BodyPieces();
    let isOver = false;
    const stop = () => {
      isOver = true;
      clearTimeout(timer);
      request.off('data', count).off(DROPPED, overrun).off('end', stop).off('close', stop);
      resolve();
    };
    const overrun = () => {
      stop();
      request.pause();
      onOverrun();
    };
    const count = ({ length }: Buffer) => {
      left -= length;
      if (left < 0 || pieces.add(length)) return overrun();
      // Of each of many connections Node would read 2 MB in a turn.
      if (turnBudget.spent) {
        request.pause();
        turnBudget.later('', () => void (isOver || request.resume()));
      }
      turnBudget.countDiscarded(length);
    };
    const timer = setTimeout(overrun, LONGEST_DISCARDING_MS).unref();
    if (comesInTooManyPieces(request)) return overrun();
    // An error of the connection needs no handling any more.
    request
      .on('data', count)
      .once(DROPPED, overrun)
      .once('end', stop)
      .once('close', stop)
      .on('error', () => undefined)
      .resume();
  });
}

/** Whether requests with this method have a body; of others it is discarded. */
export function takesBody(method = ''): boolean {
  return method === 'POST' || method === 'PATCH';
}
