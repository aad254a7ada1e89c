import type { IncomingMessage } from 'node:http';
import { ServiceError } from '@platform/errors';
import type { TurnBudget } from './turn-budget';

/** Chunks below this size are parsed at once: that takes less time than the accounting would. */
const SMALL_BYTES = 4096;

/**
 * Passes on a request's body chunk by chunk while it arrives.
 * @param take parses a chunk; an error that it throws ends the body
 * @throws ServiceError payload_too_large, invalid_request if the body ends early, and the errors of `take`
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  turns: TurnBudget,
  take: (piece: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    let ended = false;
    let waiting = false;
    let settled = false;
    const settle = (error?: Error) => {
      settled = true;
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort);
      if (!error) return resolve();
      // The error reply decides whether the rest is discarded.
      request.pause();
      reject(error);
    };
    const accept = (piece: Buffer) => {
      try {
        take(piece);
      } catch (error) {
        settle(error as Error);
      }
    };
    const acceptLater = (piece: Buffer) => {
      waiting = true;
      request.pause();
      turns.later(() => {
        waiting = false;
        // The client may have disconnected meanwhile.
        if (!settled) accept(piece);
        if (settled) return;
        if (ended) settle();
        else request.resume();
      });
    };
    const onData = (piece: Buffer) => {
      size += piece.length;
      if (size > limit) settle(tooLarge(limit));
      else if (turns.spent) acceptLater(piece);
      else if (piece.length < SMALL_BYTES) accept(piece);
      else turns.run(() => accept(piece));
    };
    // A stream that is paused at its last chunk emits 'end' all the same.
    const onEnd = () => {
      ended = true;
      request.off('error', onAbort).off('close', onAbort);
      if (!waiting) settle();
    };
    const onAbort = () => settle(new ServiceError('invalid_request', 'The body ended before it was complete'));
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(tooLarge(limit));
    request.on('data', onData).once('end', onEnd).once('error', onAbort).once('close', onAbort);
  });
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `The body may have ${limit} bytes at most`);
}
