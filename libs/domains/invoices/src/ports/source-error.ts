import { UpstreamCallError } from '@platform/upstream';

/** A source could not be read. The message is for the operator and contains no text of the source. */
export class SourceError extends Error {
  /** @param retryAfterMs how long the source asked to wait, an hour at most */
  constructor(
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** A list is inconsistent: it repeats itself, or says that there are more items and returns none. */
export class BrokenFeedError extends SourceError {}

/** The position where a feed was to go on is gone. */
export class LostPositionError extends Error {}

/** Converts a failed upstream call; other errors are returned unchanged. */
export function asSourceError(error: unknown): unknown {
  return error instanceof UpstreamCallError ? new SourceError(error.message, error.retryAfterMs) : error;
}
