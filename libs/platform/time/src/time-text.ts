/** A point in time as everything of ours writes it: RFC 3339 in UTC with exactly six digits, as PostgreSQL counts. */
export function timeText(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}

/** SQL that writes a `timestamptz` in the same form, for times inside JSON that a statement makes. */
export function timeSql(expression: string): string {
  return `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
