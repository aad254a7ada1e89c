import type { IncomingMessage } from 'node:http';

/** What is read of a refused request's body before its caller is given up. */
const MOST_BYTES = 32 * 1024 * 1024;
const LONGEST_MS = 10_000;
/** A body that is as good as here, and needs no watching: Node reads and drops it. */
const SMALL_BYTES = 16 * 1024;

/** Whether a request has a body that has not been read to its end. */
export function isStillArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/** Whether that body is so small that its rest need not be bounded. */
export function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SMALL_BYTES;
}

/**
 * Reads the rest of a body and throws it away, so that a caller which is still sending reads the answer instead of being
 * cut off (RFC 9112 §9.6). Ends when the body does, or its caller, or when it is too much or takes too long; then the
 * connection is closed as soon as the answer is out.
 */
export function discardRest(request: IncomingMessage, onOverrun: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = MOST_BYTES;
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
    // A connection that breaks is none of our trouble any more.
    request
      .on('data', count)
      .once('end', stop)
      .once('close', stop)
      .on('error', () => undefined)
      .resume();
  });
}
