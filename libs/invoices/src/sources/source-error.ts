/** A source could not be read. The message is for the operator and holds no secret. */
export class SourceError extends Error {
  /**
   * @param passing whether trying again may help
   * @param retryAfterMs how long the source asked us to stay away
   */
  constructor(
    message: string,
    readonly passing: boolean,
    readonly retryAfterMs?: number,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** The place in a feed where reading was to go on is gone. */
export class LostPositionError extends Error {}

/** Milliseconds that a `Retry-After` header asks for: seconds, or a date. */
export function retryAfterMs(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const text = [header].flat()[0];
  if (text === undefined || text === '') return undefined;
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
