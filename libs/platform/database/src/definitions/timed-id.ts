/** The least id of all. */
export const LEAST_ID = '00000000-0000-0000-0000-000000000000';

/** The least id (UUIDv7, `app.new_id`) of a moment, in milliseconds since 1970; before 1970 the least of all. */
export function firstIdAt(moment: number): string {
  if (moment <= 0) return LEAST_ID;
  const hex = Math.floor(moment).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** The moment of an id that carries time, in milliseconds since 1970. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
