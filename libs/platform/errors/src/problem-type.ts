import type { ErrorCode } from './error-catalog';

/** Page of the service that explains every code, from the root of its address. */
export const ERROR_PAGE = '/docs/errors';

/**
 * A code's `type` (RFC 9457 §3.1.1): a relative reference with its full path. It leads to the page on the server that
 * answered, and is the same text on every replica, at every address of the service and in the proxy in front of it, so
 * that it can be compared.
 */
export function problemType(code: ErrorCode): string {
  return `${ERROR_PAGE}#${code}`;
}
