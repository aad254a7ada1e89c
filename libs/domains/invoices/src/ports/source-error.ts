import { UpstreamCallError } from '@platform/upstream';

/** A source could not be read. The message is for the operator and holds nothing that the source said. */
export class SourceError extends Error {
  /** @param retryAfterMs how long the source asked us to stay away, an hour at most */
  constructor(
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message);
  }
}

/** A list cannot be what the source has: it goes in circles, or says that there is more and does not show it. */
export class BrokenFeedError extends SourceError {}

/** The place in a feed where reading was to go on is gone. */
export class LostPositionError extends Error {}

/** A failed call as the sync knows it; anything else stays what it is. */
export function asSourceError(error: unknown): unknown {
  return error instanceof UpstreamCallError ? new SourceError(error.message, error.retryAfterMs) : error;
}
