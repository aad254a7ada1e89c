/** A part of a text, from `start` up to and without `end`. */
export type Span = [start: number, end: number];

/** Shorter secrets are matched as whole words only: within other words they would match by chance. */
const SHORT = 8;
/** Shorter secrets are not stored: they would match any word. */
const TOO_SHORT = 4;
const FILTER_SIZE = 1 << 16;

/**
 * Finds known secrets in texts. Ten thousand take as long as ten: they are indexed by their last characters, behind a
 * filter that is checked at every position. Stores the latest `most` of them.
 */
export class KnownSecrets {
  private readonly secrets = new Set<string>();
  private readonly byEnding = new Map<string, Set<string>>();
  private readonly filter = new Uint8Array(FILTER_SIZE);

  constructor(private readonly most = Infinity) {}

  /** Adds a secret; a known one becomes the latest. */
  add(secret: string): void {
    if (secret.length < TOO_SHORT) return;
    this.secrets.delete(secret);
    this.secrets.add(secret);
    const ending = endingOf(secret);
    const same = this.byEnding.get(ending) ?? new Set();
    this.byEnding.set(ending, same.add(secret));
    this.filter[lastTwo(secret, secret.length)] = 1;
    if (this.secrets.size > this.most) this.forgetOldest();
  }

  /** Positions of secrets in a text, ordered by their ends. */
  find(text: string): Span[] {
    const spans: Span[] = [];
    for (let end = TOO_SHORT; end <= text.length; end++) {
      if (this.filter[lastTwo(text, end)] === 0) continue;
      for (let length = TOO_SHORT; length <= Math.min(SHORT, end); length++) {
        const found = this.byEnding.get(text.slice(end - length, end));
        for (const secret of found ?? []) if (standsAt(text, secret, end)) spans.push([end - secret.length, end]);
      }
    }
    return spans;
  }

  private forgetOldest(): void {
    const [oldest] = this.secrets;
    if (oldest === undefined) return;
    this.secrets.delete(oldest);
    const ending = endingOf(oldest);
    const same = this.byEnding.get(ending);
    same?.delete(oldest);
    if (same?.size === 0) this.byEnding.delete(ending);
  }
}

function endingOf(secret: string): string {
  return secret.slice(-SHORT);
}

/** A number for the two characters before `end`. */
function lastTwo(text: string, end: number): number {
  return (text.charCodeAt(end - 1) * 257 + text.charCodeAt(end - 2)) & (FILTER_SIZE - 1);
}

function standsAt(text: string, secret: string, end: number): boolean {
  const start = end - secret.length;
  if (start < 0 || !text.startsWith(secret, start)) return false;
  return secret.length >= SHORT || !(isWord(text[start - 1]) || isWord(text[end]));
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
