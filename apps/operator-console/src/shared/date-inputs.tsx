import { DateInput, type DateInputProps, DateTimeInput, type DateTimeInputProps } from 'react-admin';
import { useWatch } from 'react-hook-form';
import { spelledDay, spelledTime, useFormats } from './formats';

// A browser writes the fields as its own language does, so that 03/04 can be two days: below it stands which one was chosen, in words.

/** A day. */
export function DayInput(props: DateInputProps) {
  const [formats] = useFormats();
  const value: unknown = useWatch({ name: props.source });
  return <DateInput {...props} helperText={value ? spelledDay(value as string, formats) : props.helperText} />;
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
      parse={timeOf}
      helperText={value ? spelledTime(value as string | Date, formats) : props.helperText}
    />
  );
}
