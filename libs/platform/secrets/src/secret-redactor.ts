import { type AppConfig, configuredSecrets } from '@platform/config';

/**
 * Formats of secrets: our service tokens, keys of our providers and of others, private keys, and passwords within
 * addresses. Each is narrow enough not to match ordinary text, and matches only at the start of a word, so that no text
 * makes the search slow. None matches beyond a quotation mark: a line of JSON stays valid.
 */
const FORMATS = [
  /cas_live_[0-9A-Za-z]{8,}/,
  // Anthropic, and others of that form.
  /(?<![\w-])sk-(?:ant-|(?=[\w-]*\d))[\w-]{16,}/,
  // Stripe: secret, restricted and webhook keys.
  /(?<![\w-])[sr]k_(?:live|test)_\w{8,}/,
  /(?<![\w-])whsec_[\w+/=-]{8,}/,
  // Fiken: a number, a point, the key.
  /(?<![\w.-])\d{6,}\.(?=\w*[A-Za-z])\w{20,}/,
  // JSON Web Tokens; GitHub, GitLab, Slack, AWS, Google, SendGrid.
  /(?<![\w-])eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/,
  /(?<![\w-])(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,})/,
  /(?<![\w-])(?:(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,})/,
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[^"]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]*-----|(?="|$))/,
  /(?<![\w-])AGE-SECRET-KEY-1[0-9A-Za-z]+/,
  // The password of `https://user:password@host`.
  /(?<=:\/\/[^\s/@:"]{0,100}:)[^\s/@"]+(?=@)/,
  // Credentials in a header.
  /(?<=(?<!\w)(?:[Bb]earer|[Bb]asic)\s{1,3})(?=\S*[\d+/=])[\w.~+/=-]{16,}/,
];

/** Matches secrets anywhere in a text. */
const SECRET_FORMATS = new RegExp(FORMATS.map(({ source }) => `(?:${source})`).join('|'), 'g');

/** Replaces a secret. */
export const REDACTED = '[redacted]';
/** Maximum number of customers' own secrets that are known; more than are in use at a time. */
const MAX_IN_USE = 20_000;

/** Default maximum length of an upstream's text, in characters. */
const MAX_CHARACTERS = 300;
/** Maximum number of characters that are processed. */
const MAX_READ = 8_192;
/**
 * Characters that are left out at the end of a text that was not processed to its end: half a secret would not be
 * recognised.
 */
const MARGIN = 1_024;
/** Maximum length of an upstream's id. */
const LONGEST_ID = 128;

const ofSettings = new WeakMap<AppConfig, SecretRedactor>();

/**
 * Removes secrets from texts that come from outside, before they reach a reply or a log: every configured secret, those
 * used since (customers' own keys), and texts that have the format of one.
 */
export class SecretRedactor {
  private readonly configured = new KnownSecrets();
  private readonly inUse = new KnownSecrets(MAX_IN_USE);

  constructor(config: AppConfig) {
    for (const secret of configuredSecrets(config)) forms(secret).forEach((form) => this.configured.add(form));
  }

  /** The single redactor of a process with these settings: a secret that is used anywhere is known everywhere. */
  static forSettings(config: AppConfig): SecretRedactor {
    let redactor = ofSettings.get(config);
    if (!redactor) ofSettings.set(config, (redactor = new SecretRedactor(config)));
    return redactor;
  }

  /** Adds a secret, such as a customer's key before the first call with it. */
  use(secret: string): void {
    forms(secret).forEach((form) => this.inUse.add(form));
  }

  /** The text with every secret replaced by `[redacted]`. */
  redact(text: string): string {
    const spans = this.find(text);
    if (spans.length === 0) return text;
    let result = '';
    let from = 0;
    for (const [start, end] of merged(spans)) {
      result += text.slice(from, start) + REDACTED;
      from = end;
    }
    return result + text.slice(from);
  }

  /** Whether a text contains a secret or a text that looks like one. */
  hasSecret(text: string): boolean {
    return (
      text.search(SECRET_FORMATS) >= 0 || this.configured.find(text).length > 0 || this.inUse.find(text).length > 0
    );
  }

  /**
   * Makes a text of an upstream safe for a reply or a log line: on one line, without control and invisible characters,
   * without secrets, at most `most` characters. Undefined if it is not a text or is empty.
   */
  foreignText(text: unknown, most = MAX_CHARACTERS): string | undefined {
    if (typeof text !== 'string') return undefined;
    const read = text.length > MAX_READ ? text.slice(0, MAX_READ) : text;
    const visible = read.toWellFormed().replace(/[^\P{C}\s]+/gu, '');
    const line = this.redact(visible).replace(/\s+/gu, ' ');
    const whole = text.length > MAX_READ ? line.slice(0, -MARGIN) : line;
    const characters = [...whole.trim()];
    if (characters.length === 0) return undefined;
    return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
  }

  /** Makes an id of an upstream safe for a log or a row. Undefined if it is not a plausible id. */
  foreignId(id: unknown): string | undefined {
    if (typeof id !== 'string' || id.length > LONGEST_ID || !/^[\w.:~+/=@-]+$/.test(id)) return undefined;
    return this.hasSecret(id) ? undefined : id;
  }

  private find(text: string): Span[] {
    const shaped = [...text.matchAll(SECRET_FORMATS)].map((match): Span => [
      match.index,
      match.index + match[0].length,
    ]);
    return [...this.configured.find(text), ...this.inUse.find(text), ...shaped];
  }
}

/** A secret in plain text, in an address and in JSON. */
function forms(secret: string): string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

function merged(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

/** A part of a text, from `start` up to and without `end`. */
type Span = [start: number, end: number];

/** Shorter secrets are matched as whole words only: within other words they would match by chance. */
const SHORT = 8;
/** Shorter secrets are not stored: they would match any word. */
const TOO_SHORT = 4;
const FILTER_SIZE = 1 << 16;

/**
 * Finds known secrets in texts. Ten thousand take as long as ten: they are indexed by their last characters, behind a
 * filter that is checked at every position. Stores the latest `most` of them.
 */
class KnownSecrets {
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
