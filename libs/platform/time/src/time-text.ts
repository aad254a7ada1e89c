/** Formats a time as RFC 3339 in UTC with exactly six fractional digits, PostgreSQL's precision. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}
