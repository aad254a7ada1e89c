/**
 * Changes that were sent and not answered yet, or never: it is not known whether they were done. They are kept by a digest of their
 * content, until the tab is closed or the reply to a logout clears what the browser has stored, so that the same one is known again after
 * its form was closed, or the console loaded anew.
 */
const STORE = 'operator-unknown-outcomes';

/** So long the operator API knows an Idempotency-Key, less what a request takes, in milliseconds. */
const LIFETIME_MS = 24 * 3_600_000 - 300_000;

/** The key of the first attempt, and when it was made; and how old what the person had seen was, if that was sent. */
interface Kept {
  key: string;
  at: number;
  seen?: string;
}

/** An attempt to change something. */
export interface Attempt {
  /** The Idempotency-Key: that of the attempt before, if there was one. */
  key: string;
  /** Whether the same was sent before, and it is not known whether that was done. */
  isRepeat: boolean;
  /** The same was sent so long ago that the operator API may have forgotten it. The next attempt is a first one. */
  isTooLate: boolean;
  /** What is sent as `seen`: that of the attempt before, so that it is the same request. */
  seen?: string;
  /** Its outcome is known. */
  end: () => void;
}

const read = () => JSON.parse(sessionStorage.getItem(STORE) ?? '{}') as Partial<Record<string, Kept>>;

function keep(digest: string, kept: Kept | undefined): void {
  sessionStorage.setItem(STORE, JSON.stringify({ ...read(), [digest]: kept }));
}

async function digestOf(content: unknown): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(content)));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

let account: string | undefined;

/** Whose changes are sent from now on: the same one of another person is another one. */
export function actAs(accountId: string): void {
  account = accountId;
}

/**
 * Begins an attempt to send something, which is kept until it ends. @param seen the time of the last change that the person has seen,
 * which is sent beside the content: the same content is the same attempt, whatever was seen meanwhile
 */
export async function beginAttempt(content: unknown, seen?: string): Promise<Attempt> {
  const digest = await digestOf([account, content]);
  const before = read()[digest];
  const isTooLate = before !== undefined && Date.now() - before.at > LIFETIME_MS;
  const kept = before ?? { key: crypto.randomUUID(), at: Date.now(), seen };
  keep(digest, isTooLate ? undefined : kept);
  const { key, seen: seenFirst } = kept;
  return { key, isRepeat: before !== undefined, isTooLate, seen: seenFirst, end: () => keep(digest, undefined) };
}
