import type { EventType } from '@domains/events';
import { ServiceError } from '@platform/errors';
import { personName } from '@platform/people';
import type { Scope } from '@platform/tokens';
import type { Parser } from './option';

// Parsers of option values. Each throws an error that names the invalid value.

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of an id. */
export function isUuid(text: string): boolean {
  return UUID.test(text.toLowerCase());
}

export function uuid(text: string): string {
  if (!isUuid(text)) throw invalid(`${text} is not an id (a UUID)`);
  return text.toLowerCase();
}

export function wholeNumber(text: string): number {
  return Number(digits(text, 9));
}

/** Parses the fingerprint of a token. Repeats `isFingerprint` of the tokens' library, which a command's help must not load. */
export function fingerprint(text: string): string {
  if (!/^[0-9a-f]{12}$/i.test(text)) throw invalid(`${text} is not a fingerprint (12 hexadecimal digits)`);
  return text.toLowerCase();
}

/** Parses an HTTP status. */
export function status(text: string): number {
  if (!/^[45]\d\d$/.test(text)) throw invalid(`${text} is not a status from 400 to 599`);
  return Number(text);
}

/** A parser of a whole number from 1 to another, such as of days. */
export function from1To(most: number): (text: string) => number {
  return (text) => {
    const count = wholeNumber(text);
    if (count === 0 || count > most) throw invalid(`${text} is not from 1 to ${most}`);
    return count;
  };
}

/** Parses how many rows are wanted. */
export const rows = from1To(1_000_000);

/** Parses the number of something that is passed on as text. */
export function idText(text: string): string {
  return String(wholeNumber(text));
}

/** Parses a number that is passed on as text, such as a sequence number of the ledger. */
export function numberText(text: string): string {
  return digits(text, 18);
}

/** A whole number as its digits. A long one is no word that was mistyped, so it gets a reason of its own. */
function digits(text: string, most: number): string {
  if (!/^\d+$/.test(text)) throw invalid(`${text} is not a whole number`);
  if (text.length > most) throw invalid(`${text} is too large: a number has ${most} digits at most`);
  return text;
}

/** A date alone, or with a time of day, of which the seconds and the zone may be missing. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** Parses a time. Without a zone it is UTC: not the zone of the machine, which a container does not know. */
export function time(text: string): Date {
  const [, day = '', minute = '00:00', seconds = '', zone = 'Z'] = TIME.exec(text) ?? [];
  const there = new Date(`${day}T${minute}${seconds}Z`);
  const time = new Date(`${day}T${minute}${seconds}${zone.toUpperCase()}`);
  // Date takes the 30th of February for a day in March.
  const exists = !Number.isNaN(there.getTime()) && there.toISOString().startsWith(`${day}T${minute}`);
  // Years outside of 1 to 9999, which an offset can lead to, are written in another form, which customers would read.
  if (!exists || Number.isNaN(time.getTime()) || !/^(?!0000)\d{4}-/.test(time.toISOString())) {
    throw invalid(`${text} is not a time (RFC 3339, such as 2027-01-31T12:00:00Z)`);
  }
  return time;
}

export function date(text: string): string {
  const day = new Date(`${text}T00:00:00Z`);
  // The database knows no year 0.
  if (
    !/^(?!0000)\d{4}-\d\d-\d\d$/.test(text) ||
    Number.isNaN(day.getTime()) ||
    day.toISOString().slice(0, 10) !== text
  ) {
    throw invalid(`${text} is not a date (YYYY-MM-DD)`);
  }
  return text;
}

export function month(text: string): string {
  if (!/^2\d{3}-(0[1-9]|1[0-2])$/.test(text)) throw invalid(`${text} is not a month (YYYY-MM)`);
  return text;
}

export function url(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw invalid(`${text} is not a web address`);
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
  throw invalid('The value is not a JSON object');
}

/**
 * A parser of one of a type's words. They are repeated here, so that a command's help loads no domain; the type makes
 * sure that they are all of them: `oneOf<TicketStatus>()('open', …)`.
 */
export function oneOf<Word extends string>() {
  return <const Words extends readonly Word[]>(
    ...words: [Word] extends [Words[number]] ? Words : never
  ): Parser<Word> & { choices: readonly Word[] } => {
    const choices: readonly Word[] = words;
    const parse = (text: string): Word => {
      const choice = choices.find((known) => known === text);
      if (choice === undefined) throw invalid(`${text} is not one of ${choices.join(', ')}`);
      return choice;
    };
    return Object.assign(parse, { choices });
  };
}

/** A parser for which `default` is null, which resets a setting to the service's default. */
export function orDefault<Value>(parse: (text: string) => Value): (text: string) => Value | null {
  return (text) => (text === 'default' ? null : parse(text));
}

/** Parses the name of one of the operator's people, as the audit log has it. */
export const person: Parser<string> = personName;

/** Parses a limit, or `default`. */
export const limit = orDefault(wholeNumber);

const scope = oneOf<Scope>()(
  ...([
    ...(['ai:read', 'ai:use', 'ai:topup', 'billing:read', 'invoices:read'] as const),
    ...(['support:read', 'support:write', 'status:read', 'sms:send', 'sms:read'] as const),
    ...(['events:read', 'webhooks:manage'] as const),
  ] as const),
);

/** The scopes of tokens. */
export const SCOPE_NAMES = scope.choices;

export function scopes(text: string): Scope[] {
  return text.split(',').map((name) => scope(name.trim()));
}

/** Parses the type of an event. */
export const eventType = oneOf<EventType>()(
  ...([
    ...(['credit_request.approved', 'credit_request.rejected', 'ai.credit.low', 'ai.credit.exhausted'] as const),
    ...(['ai.credit.renewed', 'invoice.created', 'invoice.updated', 'ticket.replied'] as const),
    ...(['ticket.status_changed', 'sms.delivered', 'sms.failed', 'sms.unknown'] as const),
    ...(['service.status_changed', 'token.expiring', 'webhook.endpoint_disabled'] as const),
    ...(['credit_request.created', 'ticket.created', 'invoice.sync_failed', 'ai.upstream_down'] as const),
  ] as const),
);

/** Parses codes of countries, separated by commas. */
export function countries(text: string): string[] {
  return text.split(',').map((name) => name.trim().toUpperCase());
}

const trueOrFalse = oneOf<'true' | 'false'>()('true', 'false');

export const yesOrNo: Parser<boolean> = Object.assign((text: string) => trueOrFalse(text) === 'true', {
  choices: trueOrFalse.choices,
});

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
