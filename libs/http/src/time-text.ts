/** A point in time as it is sent, RFC 3339 in UTC. What was read as one text already stays as it is. */
export function timeText(time: Date | string): string {
  return typeof time === 'string' ? time : time.toISOString();
}
