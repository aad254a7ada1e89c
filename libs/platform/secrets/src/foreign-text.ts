import type { SecretRedactor } from './secret-redactor';

/** Longest text of an upstream that is passed on, in characters, unless said otherwise. */
const MOST_CHARACTERS = 300;
/** What is read of it at most. */
const MOST_READ = 8_192;
/** Left out at the end of a text that was not read to its end: half a secret would not be known as one. */
const MARGIN = 1_024;
/** Longest id of an upstream that is passed on. */
const LONGEST_ID = 128;

/**
 * A text of an upstream as it may stand in a reply or a log line: on one line, without control and invisible characters,
 * without secrets, at most `most` characters. Nothing if it is no text or has nothing to say.
 */
export function foreignText(redactor: SecretRedactor, text: unknown, most = MOST_CHARACTERS): string | undefined {
  if (typeof text !== 'string') return undefined;
  const read = text.length > MOST_READ ? text.slice(0, MOST_READ) : text;
  const visible = read.toWellFormed().replace(/[^\P{C}\s]+/gu, '');
  const line = redactor.redact(visible).replace(/\s+/gu, ' ');
  const whole = text.length > MOST_READ ? line.slice(0, -MARGIN) : line;
  const characters = [...whole.trim()];
  if (characters.length === 0) return undefined;
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}

/** An id of an upstream, such as a request's, as it may stand in a log or a row. Nothing if it cannot be one. */
export function foreignId(redactor: SecretRedactor, id: unknown): string | undefined {
  if (typeof id !== 'string' || id.length > LONGEST_ID || !/^[\w.:~+/=@-]+$/.test(id)) return undefined;
  return redactor.hasSecret(id) ? undefined : id;
}
