const DAY_MS = 86_400_000;
/** Earlier than any message. */
const EARLIEST = Date.parse('2020-01-01T00:00:00Z');

/**
 * A time from a report, or null if it is not a time or not plausible. The database makes the final check, as it knows
 * when the message was sent.
 */
export function reportTime(text: string | undefined): Date | null {
  const time = Date.parse(text ?? '');
  return time >= EARLIEST && time <= Date.now() + DAY_MS ? new Date(time) : null;
}
