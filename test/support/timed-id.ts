import { randomUUID } from 'node:crypto';

/** An id as the database would have made it at a time: for rows of the past in tables that are ordered by their ids. */
export function timedId(time: Date | string = new Date()): string {
  const hex = new Date(time).getTime().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}
