import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { FieldRule } from './field-rule';

const SHAPE = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?([Zz]|[+-]\d\d:\d\d)$/;
const WANTED = 'must be a time as RFC 3339 with an offset, such as 2026-01-31T12:00:00Z';

/**
 * A point in time in a query: RFC 3339 with any offset, to the microsecond; further digits are cut off. The handler gets it
 * in UTC with six digits, as replies have it. Optionally not before another such field of the same request.
 */
export function IsTime({ notBefore }: { notBefore?: string } = {}): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? (inUtc(value) ?? value) : value)),
    FieldRule((value, input) => {
      if (Array.isArray(value)) return 'can be given only once';
      if (typeof value !== 'string') return WANTED;
      if (inUtc(value) === undefined) return faultOf(value);
      const earlier = notBefore === undefined ? undefined : input[notBefore];
      const isReversed = typeof earlier === 'string' && inUtc(earlier) === earlier && value < earlier;
      return isReversed ? `must not be before ${String(notBefore)}` : undefined;
    }),
    // Without a format: generated clients would refuse offsets, which the format date-time has.
    ApiProperty({ type: String, required: false, maxLength: 35, pattern: SHAPE.source }),
  );
}

function faultOf(text: string): string {
  // In a query, a plus sign that is not escaped is a space.
  if (!SHAPE.test(text) && SHAPE.test(text.replace(' ', '+')))
    return 'must have the plus sign of its offset escaped as %2B';
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${WANTED}: a date alone begins at another moment in each time zone`;
  return SHAPE.test(text) ? 'must be a time that exists' : WANTED;
}

/** `2026-01-31T12:00:00.123456Z`; undefined for a text that is no time. */
function inUtc(text: string): string | undefined {
  const [, day = '', clock = '', fraction = '', offset = ''] = SHAPE.exec(text) ?? [];
  if (!isInCalendar(day, clock)) return undefined;
  const time = new Date(`${day}T${clock}${offset.toUpperCase()}`);
  if (Number.isNaN(time.getTime())) return undefined;
  const utc = time.toISOString();
  // Years outside of 1 to 9999, which an offset can lead to, are written in another form.
  if (!/^\d{4}-/.test(utc) || utc.startsWith('0000')) return undefined;
  return `${utc.slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/** `Date` takes 31 February for 3 March. */
function isInCalendar(day: string, clock: string): boolean {
  const time = new Date(`${day}T${clock}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(`${day}T${clock}`);
}
