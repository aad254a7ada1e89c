import type { IncomingMessage } from 'node:http';

/** Most bytes of a refused request's body that are read before the connection is closed. */
const MAX_BYTES = 32 * 1024 * 1024;
const LONGEST_MS = 10_000;
/** A body this small needs no bound: Node reads and discards it. */
const SMALL_BYTES = 16 * 1024;

/** Whether a request has a body that has not been read completely. */
export function isStillArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/** Whether the body is so small that the rest need not be bounded. */
export function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BYTES;
}

/**
 * Reads and discards the rest of a body, so that a client that is still sending can read the reply instead of being cut
 * off (RFC 9112 §9.6). Ends with the body, with the connection, or at a limit of size or time; then the connection is
 * closed after the reply.
 */
export function discardRest(request: IncomingMessage, onOverrun: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = MAX_BYTES;
    const stop = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', stop).off('close', stop);
      resolve();
    };
    const overrun = () => {
      stop();
      request.pause();
      onOverrun();
    };
    const count = ({ length }: Buffer) => {
      left -= length;
      if (left < 0) overrun();
    };
    const timer = setTimeout(overrun, LONGEST_MS).unref();
    // An error of the connection needs no handling any more.
    request
      .on('data', count)
      .once('end', stop)
      .once('close', stop)
      .on('error', () => undefined)
      .resume();
  });
}
