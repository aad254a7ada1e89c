import type { TokenUsage } from '../ledger/hold-book.types';
import { UpstreamError } from './upstream-error';

/** More tokens than any call can have: a larger count is no count. */
const MOST_TOKENS = 1_000_000_000;

interface Reply {
  type?: unknown;
  usage?: {
    input_tokens?: unknown;
    output_tokens?: unknown;
    cache_creation_input_tokens?: unknown;
    cache_read_input_tokens?: unknown;
    cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null;
  } | null;
}

/**
 * The tokens that a message was made of, by price. Cache writes whose time to live the reply does not tell count as
 * five minutes, which is the provider's default.
 * @throws UpstreamError when the body is no message with its usage: it cannot be charged, so it is not passed on.
 */
export function usageOf(body: Buffer): TokenUsage {
  let reply: Reply | null;
  try {
    reply = JSON.parse(body.toString()) as Reply | null;
  } catch (cause) {
    throw malformed('not JSON', cause);
  }
  const usage = reply?.usage;
  if (reply?.type !== 'message' || typeof usage !== 'object' || usage === null)
    throw malformed('not a message with usage');
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
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS) return value;
  throw malformed('usage that is no count');
}

function malformed(what: string, cause?: unknown): UpstreamError {
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: `upstream reply malformed: ${what}`,
    detail: 'The AI provider gave an answer that could not be read. You were not charged',
    down: false,
    cause,
  });
}
