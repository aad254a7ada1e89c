import type { SecretRedactor } from './secret-redactor';

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

/**
 * Makes a text of an upstream safe for a reply or a log line: on one line, without control and invisible characters,
 * without secrets, at most `most` characters. Undefined if it is not a text or is empty.
 */
export function foreignText(redactor: SecretRedactor, text: unknown, most = MAX_CHARACTERS): string | undefined {
  if (typeof text !== 'string') return undefined;
  const read = text.length > MAX_READ ? text.slice(0, MAX_READ) : text;
  const visible = read.toWellFormed().replace(/[^\P{C}\s]+/gu, '');
  const line = redactor.redact(visible).replace(/\s+/gu, ' ');
  const whole = text.length > MAX_READ ? line.slice(0, -MARGIN) : line;
  const characters = [...whole.trim()];
  if (characters.length === 0) return undefined;
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : characters.join('');
}

/** Makes an id of an upstream safe for a log or a row. Undefined if it is not a plausible id. */
export function foreignId(redactor: SecretRedactor, id: unknown): string | undefined {
  if (typeof id !== 'string' || id.length > LONGEST_ID || !/^[\w.:~+/=@-]+$/.test(id)) return undefined;
  return redactor.hasSecret(id) ? undefined : id;
}
