import type { Frame } from './request-frame';

/** Names of members that decide whether a request is valid or what it can cost, one bit each. */
export const NAMES = {
  role: 8,
  content: 16,
  type: 32,
  source: 64,
  data: 128,
  file_id: 256,
  cache_control: 512,
  ttl: 1024,
  input: 2048,
} as const;

const BITS = new Map<string | undefined, number>(Object.entries(NAMES));
const OF_MESSAGE = NAMES.role | NAMES.content;
const OF_BLOCKS = ~NAMES.role;

/**
 * The bit of the current member if its name is checked at this place, else 0. For messages and what is in them; the names
 * of other objects have rules.
 */
export function judgedName({ kind, key }: Frame): number {
  const bit = BITS.get(key) ?? 0;
  if (bit === 0) return 0;
  return bit & (kind === 'message' ? OF_MESSAGE : OF_BLOCKS);
}
