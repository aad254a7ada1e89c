import { type AppConfig, configuredSecrets } from '@platform/config';
import { KnownSecrets, type Span } from './known-secrets';
import { SECRET_FORMATS } from './secret-formats';

/** Replaces a secret. */
export const REDACTED = '[redacted]';
/** Maximum number of customers' own secrets that are known; more than are in use at a time. */
const MAX_IN_USE = 20_000;

const ofSettings = new WeakMap<AppConfig, SecretRedactor>();

/**
 * Removes secrets from texts that come from outside, before they reach a reply or a log: every configured secret, those
 * used since (customers' own keys), and what has the format of one.
 */
export class SecretRedactor {
  private readonly configured = new KnownSecrets();
  private readonly inUse = new KnownSecrets(MAX_IN_USE);

  constructor(config: AppConfig) {
    for (const secret of configuredSecrets(config)) forms(secret).forEach((form) => this.configured.add(form));
  }

  /** The single redactor of a process with these settings: a secret that is used anywhere is known everywhere. */
  static of(config: AppConfig): SecretRedactor {
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

  /** Whether a text contains a secret or what looks like one. */
  hasSecret(text: string): boolean {
    return (
      text.search(SECRET_FORMATS) >= 0 || this.configured.find(text).length > 0 || this.inUse.find(text).length > 0
    );
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
