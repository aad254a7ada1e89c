import { TextInput, type TextInputProps } from 'react-admin';
import { type Formats, useFormats } from './formats';

type Props = Omit<TextInputProps, 'parse' | 'format' | 'validate'>;

const DECIMAL = /^-?\d+(\.\d+)?$/;
const BLANKS = /\s/gu;

/** Stands in the form's value for a dot that was typed with Norwegian formats: it is in no number, and shown as a dot. */
const DOT = '\u2024';

/**
 * What was typed as a decimal text of the operator API. With Norwegian formats the comma is the decimal sign, as in every amount
 * that is shown, and a dot could be one between thousands; with English ones it is the other way round. What could be one between
 * thousands stays a fault: 1.000 is not stored as one for a person who means a thousand.
 */
function decimalOf(typed: string, formats: Formats): string {
  const text = typed.replace(BLANKS, '');
  return formats === 'nb-NO' ? text.replaceAll('.', DOT).replace(',', '.') : text;
}

/** The decimal text as a person writes it. */
function shownOf(value: string | number | null | undefined, formats: Formats): string {
  const text = String(value ?? '');
  return (formats === 'nb-NO' ? text.replace('.', ',') : text).replaceAll(DOT, '.');
}

/** What a person can do whose comma or dot is refused. */
function separatorHint(text: string, formats: Formats): string {
  if (formats === 'en-GB' && text.includes(',')) return '. The switch "1 234,5" of the bar at the top takes a comma';
  return text.includes(DOT) ? '. The switch "1,234.5" of the bar at the top takes a dot' : '';
}

/** An exact number, as a decimal text. Spaces between thousands and, with Norwegian formats, the decimal comma are taken. */
export function DecimalInput({ min, ...props }: Props & { min?: number }) {
  const [formats] = useFormats();
  const example = formats === 'nb-NO' ? '1 234,50' : '1234.50';
  return (
    <TextInput
      {...props}
      slotProps={{ htmlInput: { inputMode: 'decimal' } }}
      parse={(typed: string) => decimalOf(typed, formats)}
      format={(value?: string | number | null) => shownOf(value, formats)}
      validate={(value?: string | number | null) => {
        const text = String(value ?? '');
        if (text === '') return props.required ? 'Required' : undefined;
        if (!DECIMAL.test(text)) return `A number, such as ${example}${separatorHint(text, formats)}`;
        return min !== undefined && Number(text) < min ? `${min} or more` : undefined;
      }}
    />
  );
}

/** What was typed as a whole number; null for nothing. Anything else stays as it was typed, and is refused. */
function wholeOf(typed: string): number | string | null {
  const text = typed.replace(BLANKS, '');
  if (text === '') return null;
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** A whole number. Spaces between thousands are taken; a dot or comma is a fault, as in amounts: 1.000 is not one. */
export function WholeNumberInput(props: Props) {
  return (
    <TextInput
      {...props}
      slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      parse={wholeOf}
      format={(value?: string | number | null) => String(value ?? '')}
      validate={(value?: string | number | null) =>
        typeof value === 'string' && value !== '' ? 'A whole number, such as 1500, without dots and commas' : undefined
      }
    />
  );
}

/** A number of a form, or null for an empty field. */
export const numberOrNull = (value: unknown): number | null =>
  value === undefined || value === null || value === '' ? null : Number(value);

/** A Norwegian organisation number, also with the spaces that people write. */
export function OrganizationNumberInput(props: Omit<Props, 'source'>) {
  return (
    <TextInput
      source="organization_number"
      label="Organisation number"
      {...props}
      parse={(typed: string) => typed.replace(BLANKS, '')}
      validate={(value?: string) => (/^\d{9}$/.test(value ?? '') ? undefined : 'Nine digits')}
    />
  );
}
