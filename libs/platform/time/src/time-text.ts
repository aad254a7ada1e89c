/** Formats a time as RFC 3339 in UTC with exactly six fractional digits, PostgreSQL's precision. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}

/** SQL that formats a `timestamptz` in the same way, for times inside JSON. */
export function timeSql(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
