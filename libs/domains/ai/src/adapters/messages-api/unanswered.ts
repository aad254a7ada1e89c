import type { UpstreamCallError, UpstreamFailureReason } from '@platform/upstream';
import { UpstreamError } from '../../ports/upstream-error';

/** `Retry-After` of a call that was not made. */
const RETRY_SECONDS = 5;

const DETAILS: Partial<Record<UpstreamFailureReason, string>> = {
  circuit_open: 'The AI provider is not available at present. You were not charged; try again later',
  busy: 'Too many calls wait for the AI provider. You were not charged; try again later',
  cancelled: 'The server is stopping. You were not charged; try again',
  shutdown: 'The server is stopping. You were not charged; try again',
  timeout_first_byte: 'The AI provider took too long to answer. You were not charged',
  timeout_idle: 'The AI provider took too long to answer. You were not charged',
  timeout_total: 'The AI provider took too long to answer. You were not charged',
  cut_off: 'The connection to the AI provider broke before the answer was complete. You were not charged',
  disconnected: 'The connection to the AI provider broke before the answer was complete. You were not charged',
};
const UNREACHABLE = 'The AI provider cannot be reached. You were not charged';
const UNREADABLE = 'The AI provider gave an answer that could not be read. You were not charged';

/** The error for a call without a usable reply. */
export function unanswered({ reason, code, sent }: UpstreamCallError): UpstreamError {
  const notCalled = reason === 'circuit_open' || reason === 'busy';
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: ['upstream', reason, code].filter(Boolean).join(' '),
    detail: DETAILS[reason] ?? (sent ? UNREADABLE : UNREACHABLE),
    ...(notCalled && { retryAfterSeconds: RETRY_SECONDS }),
  });
}

/** The error for a reply that began, and is not what the provider documents. @param code one of our constants */
export function unreadable(code: string): UpstreamError {
  return new UpstreamError({ code: 'ai_upstream_failed', reason: `upstream unexpected ${code}`, detail: UNREADABLE });
}

/** The error for a stream that ended before its message did. */
export function brokenOff(): UpstreamError {
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: 'upstream cut_off NO_MESSAGE_STOP',
    detail: DETAILS.cut_off ?? UNREADABLE,
  });
}

/** The error for an `error` event. @param type of the provider's errors */
export function failedMidway(type: string | undefined): UpstreamError {
  return new UpstreamError({
    code: 'ai_upstream_failed',
    reason: ['upstream error event', type].filter(Boolean).join(' '),
    detail: 'The AI provider failed before the answer was complete. You were not charged; try again',
  });
}
