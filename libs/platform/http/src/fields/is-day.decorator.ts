import { FieldRule } from './field-rule';

const SHAPE = /^(\d{4})-(\d\d)-(\d\d)$/;

/** A date, `YYYY-MM-DD`, optionally not before another field of the same request. */
export function IsDay({ notBefore }: { notBefore?: string } = {}): PropertyDecorator {
  return FieldRule((value, input) => {
    if (Array.isArray(value)) return 'can be given only once';
    if (typeof value !== 'string' || !SHAPE.test(value)) return 'must be a date as YYYY-MM-DD, such as 2026-01-31';
    if (!isInCalendar(value)) return 'must be a date of the calendar';
    const earlier = notBefore === undefined ? undefined : input[notBefore];
    return typeof earlier === 'string' && isInCalendar(earlier) && value < earlier
      ? `must not be before ${String(notBefore)}`
      : undefined;
  });
}

function isInCalendar(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return (
    SHAPE.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && !text.startsWith('0000')
  );
}
