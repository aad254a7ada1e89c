import { isUUID } from 'class-validator';
import { isSupportedCountry } from 'libphonenumber-js/max';
import { isScope, type Scope, SCOPES } from '@platform/tokens';
import { ServiceError } from '@platform/errors';

// Parsers of option values. Each throws an error that names the invalid value.

export function uuid(text: string): string {
  if (!isUUID(text)) throw new ServiceError('invalid_request', `${text} is not an id (a UUID)`);
  return text.toLowerCase();
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new ServiceError('invalid_request', `${text} is not a whole number`);
  return Number(text);
}

/** Parses how many rows are wanted. */
export function rows(text: string): number {
  const count = wholeNumber(text);
  if (count === 0 || count > 1_000_000) throw new ServiceError('invalid_request', `${text} is not from 1 to 1000000`);
  return count;
}

/** Parses a number that is passed on as text, such as a sequence number of the ledger. */
export function numberText(text: string): string {
  if (!/^\d{1,18}$/.test(text)) throw new ServiceError('invalid_request', `${text} is not a whole number`);
  return text;
}

export function time(text: string): Date {
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) {
    throw new ServiceError('invalid_request', `${text} is not a time (RFC 3339, such as 2027-01-31T12:00:00Z)`);
  }
  return time;
}

export function date(text: string): string {
  const day = new Date(`${text}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new ServiceError('invalid_request', `${text} is not a date (YYYY-MM-DD)`);
  }
  return text;
}

export function url(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ServiceError('invalid_request', `${text} is not a web address`);
  }
  return text;
}

export function json(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Not JSON: answered below.
  }
  throw new ServiceError('invalid_request', 'The value is not a JSON object');
}

/** A parser of one of these words. */
export function oneOf<Choice extends string>(choices: readonly Choice[]): (text: string) => Choice {
  return (text) => {
    const choice = choices.find((known) => known === text);
    if (choice === undefined) throw new ServiceError('invalid_request', `${text} is not one of ${choices.join(', ')}`);
    return choice;
  };
}

/** A parser for which `default` is null, which resets a setting to the service's default. */
export function orDefault<Value>(parse: (text: string) => Value): (text: string) => Value | null {
  return (text) => (text === 'default' ? null : parse(text));
}

/** Parses a limit, or `default`. */
export const limit = orDefault(wholeNumber);

export function scopes(text: string): Scope[] {
  return text.split(',').map((name) => {
    const scope = name.trim();
    if (!isScope(scope)) {
      throw new ServiceError(
        'invalid_request',
        `${scope} is not a scope; the scopes are ${Object.keys(SCOPES).join(', ')}`,
      );
    }
    return scope;
  });
}

/** Parses ISO 3166 codes of countries, separated by commas. */
export function countries(text: string): string[] {
  return text.split(',').map((name) => {
    const country = name.trim().toUpperCase();
    if (!isSupportedCountry(country)) {
      throw new ServiceError('invalid_request', `${name.trim()} is not a country code (ISO 3166, such as NO)`);
    }
    return country;
  });
}

export function yesOrNo(text: string): boolean {
  return oneOf(['true', 'false'])(text) === 'true';
}
