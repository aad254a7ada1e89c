import type { TokenUsage } from '../../ledger/credit-ledger.port';

/** More tokens than any call can have. A larger count is invalid. */
const MAX_TOKENS = 1_000_000_000;

/** The provider's usage of a message, unchecked. */
interface Usage {
  input_tokens?: unknown;
  output_tokens?: unknown;
  cache_creation_input_tokens?: unknown;
  cache_read_input_tokens?: unknown;
  cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null;
}

interface Reply {
  type?: unknown;
  usage?: Usage | null;
}

/**
 * The tokens of a message, by price.
 * @returns undefined if the reply is not a message with its usage: it cannot be charged, so it must not be passed on
 */
export function usageOf(reply: unknown): TokenUsage | undefined {
  const { type, usage } = (reply as Reply | null) ?? {};
  return type === 'message' && typeof usage === 'object' && usage !== null ? tokensOf(usage) : undefined;
}

/** Cache writes without a stated time to live count as five minutes, the provider's default. */
function tokensOf(usage: Usage): TokenUsage | undefined {
  const { cache_creation: split } = usage;
  const cacheWrite1h = count(split?.ephemeral_1h_input_tokens ?? 0);
  const known5m = count(split?.ephemeral_5m_input_tokens ?? 0);
  const written = count(usage.cache_creation_input_tokens ?? 0);
  const tokens = {
    input: count(usage.input_tokens),
    cacheWrite5m: known5m + Math.max(0, written - known5m - cacheWrite1h),
    cacheWrite1h,
    cacheRead: count(usage.cache_read_input_tokens ?? 0),
    output: count(usage.output_tokens),
  };
  const { input, cacheWrite5m, cacheRead, output } = tokens;
  return Number.isNaN(input + cacheWrite5m + cacheWrite1h + cacheRead + output) ? undefined : tokens;
}

/** A valid count; NaN if it is missing or invalid. */
function count(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS ? value : NaN;
}

/** The usage that the events of a stream report: `message_start` its beginning, each `message_delta` all of it so far. */
export class StreamedUsage {
  private reported?: Usage;
  /** Whether a `message_delta` has had output tokens: the last one may leave them out. */
  private final = false;

  /** The usage of `message_start`. Its output tokens are a placeholder. */
  begin(event: unknown): void {
    this.reported = (event as { message?: { usage?: Usage | null } | null } | null)?.message?.usage ?? {};
  }

  /** The usage of a `message_delta`: counts that it leaves out, or gives as null, are unchanged. */
  update(event: unknown): void {
    const usage = (event as { usage?: Usage | null } | null)?.usage;
    if (!usage || !this.reported) return;
    const given = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null)) as Usage;
    this.reported = { ...this.reported, ...splitOf(this.reported, given), ...given };
    this.final ||= given.output_tokens !== undefined;
  }

  /** The usage of the whole message; undefined if it was not reported, or is not valid. */
  get total(): TokenUsage | undefined {
    return this.final && this.reported ? tokensOf(this.reported) : undefined;
  }

  /** The counts reported so far, in words for the operator; undefined before the message began. */
  get soFar(): string | undefined {
    if (!this.reported) return undefined;
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens } = this.reported;
    const counts = {
      input: input_tokens,
      written: cache_creation_input_tokens,
      read: cache_read_input_tokens,
      output: output_tokens,
    };
    const known = Object.entries(counts).filter(([, value]) => typeof value === 'number');
    return known.map(([name, value]) => `${name} ${value as number}`).join(', ');
  }
}

/** The split of revised cache writes, which comes with `message_start` only: as much of it as there is was for an hour. */
function splitOf(before: Usage, { cache_creation_input_tokens: written, cache_creation }: Usage): Usage {
  if (typeof written !== 'number' || cache_creation || !before.cache_creation) return {};
  const hour = before.cache_creation.ephemeral_1h_input_tokens;
  const kept = Math.min(typeof hour === 'number' ? hour : 0, written);
  return { cache_creation: { ephemeral_5m_input_tokens: written - kept, ephemeral_1h_input_tokens: kept } };
}
