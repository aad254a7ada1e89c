import type { TokenUsage } from '../../ledger/token-usage';

/** More tokens than any call can have. A larger count is invalid. */
const MAX_TOKENS = 1_000_000_000;

/** The provider's usage of a message, as it may come. */
export interface Usage {
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

/** A count is missing or invalid. */
class InvalidCountError extends Error {}

/**
 * The tokens of a message, by price. Cache writes without a stated time to live count as five minutes, the provider's
 * default.
 * @returns undefined if the reply is not a message with its usage: it cannot be charged, so it must not be passed on
 */
export function usageOf(reply: unknown): TokenUsage | undefined {
  try {
    return countsOf(reply as Reply | null);
  } catch (error) {
    if (error instanceof InvalidCountError) return undefined;
    throw error;
  }
}

function countsOf(reply: Reply | null): TokenUsage {
  const usage = reply?.usage;
  if (reply?.type !== 'message' || typeof usage !== 'object' || usage === null) throw new InvalidCountError();
  const cacheWrite1h = count(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0);
  const known5m = count(usage.cache_creation?.ephemeral_5m_input_tokens ?? 0);
  const written = count(usage.cache_creation_input_tokens ?? 0);
  return {
    input: count(usage.input_tokens),
    cacheWrite5m: known5m + Math.max(0, written - known5m - cacheWrite1h),
    cacheWrite1h,
    cacheRead: count(usage.cache_read_input_tokens ?? 0),
    output: count(usage.output_tokens),
  };
}

function count(value: unknown): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_TOKENS) return value;
  throw new InvalidCountError();
}
