import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { type TextLength, textFault, typeName } from '@platform/errors';
import { isInCalendar } from '@platform/pagination';

/**
 * Returns the fault of a field's value, to be appended to the field's name, such as `must be a string`; undefined if
 * the value is valid. `input` has all fields.
 */
export type FaultOf = (value: unknown, input: Readonly<Record<string, unknown>>) => string | undefined;

/** Declares a field's rule for the validation pipe. A missing field is reported as required, whatever the rule. */
export function FieldRule(faultOf: FaultOf): PropertyDecorator {
  return ValidateBy({
    name: 'fieldRule',
    validator: {
      validate: (value, faults) => faultOf(value, inputOf(faults)) === undefined,
      defaultMessage: (faults) => {
        const value: unknown = faults?.value;
        const fault = value === undefined ? 'is required' : faultOf(value, inputOf(faults));
        return `${faults?.property ?? 'it'} ${fault ?? 'is not valid'}`;
      },
    },
  });
}

function inputOf(faults?: { object: object }): Record<string, unknown> {
  return (faults?.object ?? {}) as Record<string, unknown>;
}

/** A text field with its length, for the validation pipe and the OpenAPI document. */
export function IsText(length: TextLength): PropertyDecorator {
  const { min = 0, max } = length;
  return applyDecorators(
    FieldRule((value) =>
      typeof value === 'string' ? textFault(value, length) : `must be a string, not ${typeName(value)}`,
    ),
    ApiProperty({ ...(min > 0 ? { minLength: min, pattern: '\\S' } : {}), maxLength: max }),
  );
}

/** An amount of money: a number in a range, with two decimals at most. */
export function IsAmount({ min, max }: { min: number; max: number }): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value !== 'number') return `must be a number, not ${typeName(value)}`;
    if (!(value >= min && value <= max)) return `must be from ${min} to ${max}`;
    // A number that changes when rounded has more than two decimals. `multipleOf` would refuse 1234.56.
    return Math.round(value * 100) / 100 === value ? undefined : 'must have two decimals at most';
  });
}

/** The bounds of a column of the type `integer`. */
const INTEGER = { min: -2_147_483_648, max: 2_147_483_647 };

/** A whole number in a JSON body, by default one that a column of the type `integer` can have. */
export function IsWholeNumber({ min = INTEGER.min, max = INTEGER.max } = {}): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value !== 'number') return `must be a whole number, not ${typeName(value)}`;
    if (!Number.isInteger(value)) return 'must be a whole number';
    return value >= min && value <= max ? undefined : `must be from ${min} to ${max}`;
  });
}

/** A whole number in a query, written in digits. */
export function IsQueryNumber({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (isDigits(value) ? Number(value) : value)),
    FieldRule((value) => {
      if (Array.isArray(value)) return 'can be given only once';
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return fits ? undefined : `must be a whole number from ${min} to ${max}`;
    }),
  );
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,9}$/.test(value);
}

/** A text that is one of the choices. */
export function IsOneOf(choices: readonly string[]): PropertyDecorator {
  return FieldRule((value) => {
    if (typeof value === 'string' && choices.includes(value)) return undefined;
    const wanted = `must be one of ${choices.join(', ')}`;
    return typeof value === 'string' ? wanted : `${wanted}, not ${typeName(value)}`;
  });
}

const UUID_SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The id of a record, in a query or a body. */
export function IsUuid(): PropertyDecorator {
  return applyDecorators(
    FieldRule((value) => {
      if (Array.isArray(value)) return 'can be given only once';
      return typeof value === 'string' && UUID_SHAPE.test(value) ? undefined : 'must be an id (a UUID)';
    }),
    ApiProperty({ format: 'uuid', maxLength: 36 }),
  );
}

/** An optional field of an operator's request that has no meaning for null: the handler gets null as if the field were left out. */
export function MayBeLeftOut(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => value ?? undefined),
    IsOptional(),
  );
}

/** An id in the query or the body of an operator's request, in small letters for the handler. */
export function IsId({ required = false }: { required?: boolean } = {}): PropertyDecorator {
  return applyDecorators(
    ...(required ? [] : [MayBeLeftOut()]),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value)),
    IsUuid(),
    ApiProperty({ type: String, format: 'uuid', required }),
  );
}

/** `true` or `false` in a query. */
export function IsFlag(): PropertyDecorator {
  return applyDecorators(
    IsOptional(),
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    FieldRule((value) => (typeof value === 'boolean' ? undefined : 'must be true or false')),
    ApiProperty({ type: Boolean, required: false }),
  );
}

/** `true` or `false` in a JSON body. */
export function IsTrueOrFalse(): PropertyDecorator {
  return FieldRule((value) =>
    typeof value === 'boolean' ? undefined : `must be true or false, not ${typeName(value)}`,
  );
}

const DAY_SHAPE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** A date, `YYYY-MM-DD`, optionally not before another field of the same request. */
export function IsDay({ notBefore }: { notBefore?: string } = {}): PropertyDecorator {
  return FieldRule((value, input) => {
    if (Array.isArray(value)) return 'can be given only once';
    if (typeof value !== 'string' || !DAY_SHAPE.test(value)) return 'must be a date as YYYY-MM-DD, such as 2026-01-31';
    if (!isDay(value)) return 'must be an existing date';
    const earlier = notBefore === undefined ? undefined : input[notBefore];
    return typeof earlier === 'string' && isDay(earlier) && value < earlier
      ? `must not be before ${String(notBefore)}`
      : undefined;
  });
}

function isDay(text: string): boolean {
  return DAY_SHAPE.test(text) && isInCalendar(text) && !text.startsWith('0000');
}

const TIME_SHAPE = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const TIME_WANTED = 'must be a time as RFC 3339 with an offset, such as 2026-01-31T12:00:00Z';

/**
 * A point in time in a query: RFC 3339 with any offset, to the microsecond; further digits are cut off. The handler gets it
 * in UTC with six digits, as replies have it. Optionally not before another such field of the same request.
 */
export function IsTime({ notBefore }: { notBefore?: string } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (timeInUtc(value) ?? value) : value)),
    FieldRule((value, input) => {
      if (Array.isArray(value)) return 'can be given only once';
      if (typeof value !== 'string') return TIME_WANTED;
      if (timeInUtc(value) === undefined) return timeFault(value);
      const earlier = notBefore === undefined ? undefined : input[notBefore];
      const isReversed = typeof earlier === 'string' && timeInUtc(earlier) === earlier && value < earlier;
      return isReversed ? `must not be before ${String(notBefore)}` : undefined;
    }),
    // Without a format: generated clients would refuse offsets, which the format date-time has.
    ApiProperty({ type: String, required: false, maxLength: 35, pattern: TIME_SHAPE.source }),
  );
}

function timeFault(text: string): string {
  // In a query, a plus sign that is not escaped is a space.
  if (!TIME_SHAPE.test(text) && TIME_SHAPE.test(text.replace(' ', '+')))
    return 'must have a plus sign before its offset, not a space: in an address, write it as %2B';
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${TIME_WANTED}: a date alone begins at another moment in each time zone`;
  return TIME_SHAPE.test(text) ? 'must be a time that exists' : TIME_WANTED;
}

/** `2026-01-31T12:00:00.123456Z`; undefined for a text that is no time. */
function timeInUtc(text: string): string | undefined {
  const [, day = '', clock = '', fraction = '', offset = ''] = TIME_SHAPE.exec(text) ?? [];
  if (!isInCalendar(day, clock)) return undefined;
  const time = new Date(`${day}T${clock}${offset.toUpperCase()}`);
  if (Number.isNaN(time.getTime())) return undefined;
  const utc = time.toISOString();
  // Years outside of 1 to 9999, which an offset can lead to, are written in another form.
  if (!/^\d{4}-/.test(utc) || utc.startsWith('0000')) return undefined;
  return `${utc.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}
