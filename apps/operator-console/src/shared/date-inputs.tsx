import type { ChangeEvent } from 'react';
import { DateInput, type DateInputProps, DateTimeInput, type DateTimeInputProps } from 'react-admin';
import { useFormContext, useWatch } from 'react-hook-form';
import { spelledDay, spelledTime, useFormats } from './formats';

/**
 * Tells the form at once of a field that was emptied: react-admin's inputs do so only when they are left, so that Enter would send what is
 * no longer there. A date of which a part is still missing is not empty: the browser refuses it.
 */
function useEmptied(source: string) {
  const { setValue } = useFormContext();
  return ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (target.value === '' && !target.validity.badInput)
      setValue(source, '', { shouldDirty: true, shouldValidate: true });
  };
}

// A browser writes the fields as its own language does, so that 03/04 can be two days: below it stands which one was chosen, in words.

/** A day. */
export function DayInput(props: DateInputProps) {
  const [formats] = useFormats();
  const value: unknown = useWatch({ name: props.source });
  return (
    <DateInput
      {...props}
      onChange={useEmptied(props.source)}
      helperText={value ? spelledDay(value as string, formats) : props.helperText}
    />
  );
}

/** What was typed, in the browser's time zone, as the operator API takes times: RFC 3339 with an offset. */
const timeOf = (typed: string) => (typed === '' ? typed : new Date(typed).toISOString());

/** A moment. */
export function TimeInput(props: DateTimeInputProps) {
  const [formats] = useFormats();
  const value: unknown = useWatch({ name: props.source });
  return (
    <DateTimeInput
      {...props}
      onChange={useEmptied(props.source)}
      parse={timeOf}
      helperText={value ? spelledTime(value as string | Date, formats) : props.helperText}
    />
  );
}
