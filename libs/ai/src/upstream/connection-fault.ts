import { UpstreamError } from './upstream-error';

/** Why a call was ended from our side; the signal's reason. */
export class CallEnded extends Error {
  constructor(readonly why: 'timeout' | 'shutdown') {
    super(why);
  }
}

/** Failures to connect: of all others it is unknown what the provider got. */
const UNSENT = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Whether an error tells that nothing of the request was sent. */
export function isUnsent(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isUnsent);
  return UNSENT.has(codeOf(error));
}

/** What a broken or ended call means. */
export function connectionFault(error: unknown, signal: AbortSignal): UpstreamError {
  if (error instanceof UpstreamError) return error;
  const ended: unknown = signal.aborted ? signal.reason : undefined;
  if (ended instanceof CallEnded && ended.why === 'shutdown') {
    return fault('ended by our shutdown', 'The server is stopping. You were not charged; try again', false, error);
  }
  if (ended)
    return fault('upstream timeout', 'The AI provider took too long to answer. You were not charged', true, error);
  if (isUnsent(error)) {
    return fault(
      `upstream unreachable ${codeOf(error)}`.trim(),
      'The AI provider cannot be reached. You were not charged',
      true,
      error,
    );
  }
  return fault(
    `upstream connection broke ${codeOf(error)}`.trim(),
    'The connection to the AI provider broke before the answer was complete. You were not charged',
    true,
    error,
  );
}

function fault(reason: string, detail: string, down: boolean, cause: unknown): UpstreamError {
  return new UpstreamError({ code: 'ai_upstream_failed', reason, detail, down, cause });
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
