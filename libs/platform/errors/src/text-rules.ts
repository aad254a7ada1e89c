import { ServiceError } from './service-error';

/**
 * Length of a text in Unicode characters (code points): an emoji counts as one, a letter with a combining accent as
 * two.
 */
export interface TextLength {
  /** From 1 on, the text must not be blank either. Default 0. */
  min?: number;
  max: number;
}

/** The fault of a text, to be appended to its name, such as `must not be blank`; undefined if it is valid. */
export function textFault(text: string, { min = 0, max }: TextLength): string | undefined {
  if (!isStorable(text)) return 'must not contain the null character or half a surrogate pair';
  const allowed = min === 0 ? `at most ${max}` : min === max ? `${max}` : `${min} to ${max}`;
  // A text has at most as many characters as code units, and counting a long one costs time.
  if (text.length > 2 * max) return `must have ${allowed} characters`;
  const characters = [...text].length;
  if (characters < min || characters > max) return `must have ${allowed} characters, not ${characters}`;
  return min > 0 && text.trim() === '' ? 'must not be blank' : undefined;
}

/** Whether a text can be stored and sent: it has no lone surrogates and no null characters. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Refuses a text that has a fault. @param name its name in the refusal, such as `The reply` @throws ServiceError invalid_request */
export function requireText(text: string, name: string, length: TextLength): void {
  requireNoFault(name, textFault(text, length));
}

/** Refuses a value for its fault, if it has one. @throws ServiceError invalid_request */
export function requireNoFault(name: string, fault: string | undefined): void {
  if (fault !== undefined) throw new ServiceError('invalid_request', `${name} ${fault}`);
}

/** The values of a change that are given: undefined ones stay as they are. @throws ServiceError invalid_request if there are none */
export function requireChange<Change extends object>(change: Change): Change {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  if (given.length === 0) throw new ServiceError('invalid_request', 'Give something to change');
  return Object.fromEntries(given) as Change;
}
