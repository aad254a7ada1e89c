const LONGEST_MS = 3_600_000;
/** RFC 9110 §5.6.7, the format that senders must use. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds of a `Retry-After` header (RFC 9110 §10.2.3): seconds, or a date; a past date means none. More than an
 * hour, or an invalid value, counts as absent.
 */
export function parseRetryAfter(header: string | undefined, now = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  const ms = /^\d{1,10}$/.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Math.max(0, Date.parse(text) - now)
      : NaN;
  return ms <= LONGEST_MS ? ms : undefined;
}
