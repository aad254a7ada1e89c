const DAY_MS = 86_400_000;
/** Before any message of ours. */
const EARLIEST = Date.parse('2020-01-01T00:00:00Z');

/**
 * A time that a report names, or null if it cannot be meant: not a time, or one that no message was delivered at. What is
 * stored is decided by the database, which knows when the message was sent.
 */
export function reportTime(text: string | undefined): Date | null {
  const time = Date.parse(text ?? '');
  return time >= EARLIEST && time <= Date.now() + DAY_MS ? new Date(time) : null;
}
