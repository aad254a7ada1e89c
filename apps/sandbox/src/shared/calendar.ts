/** The date some days after a date, both as `YYYY-MM-DD`. */
export function daysAfter(date: string, days: number): string {
  const time = new Date(`${date}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + days);
  return time.toISOString().slice(0, 10);
}
