import type { BillingCalendar } from '@platform/time';
import { timeText } from '@platform/time';

/** The period in which a list's records were made. A bound that is not given is open. */
export interface Period {
  /** First and last day (`YYYY-MM-DD`, in the billing time zone), both included. */
  from?: string;
  to?: string;
  /** From this moment on, and before this one: RFC 3339 in UTC with six digits. */
  createdAfter?: string;
  createdBefore?: string;
}

/** Times that an id can have (`app.first_id`), and time zones an offset. */
const EARLIEST = '1970-01-02T00:00:00.000000Z';
const LATEST = '2500-01-01T00:00:00.000000Z';

/** The moments between which a period's records were made: the first included, the second not. Null where it is open. */
export function momentsOf(
  { from, to, createdAfter, createdBefore }: Period,
  calendar: BillingCalendar,
): { start: string | null; end: string | null } {
  const starts = [createdAfter, from && startOf(from, 0, calendar)].filter((time) => time !== undefined);
  const ends = [createdBefore, to && startOf(to, 1, calendar)].filter((time) => time !== undefined);
  // Texts of one length, which compare like the times.
  return { start: within(starts.sort().at(-1)), end: within(ends.sort().at(0)) };
}

/** When a day, or one that is some days after it, begins. */
function startOf(day: string, later: number, calendar: BillingCalendar): string {
  if (day <= EARLIEST.slice(0, 10)) return EARLIEST;
  if (day >= LATEST.slice(0, 10)) return LATEST;
  return timeText(calendar.startOf(calendar.daysAfter(day, later)));
}

function within(time: string | undefined): string | null {
  if (time === undefined) return null;
  if (time < EARLIEST) return EARLIEST;
  return time > LATEST ? LATEST : time;
}
