import { useStore } from 'react-admin';

/** How numbers, amounts and times are written: the texts are English in both. */
export type Formats = 'nb-NO' | 'en-GB';

export const useFormats = (): [Formats, (formats: Formats) => void] =>
  useStore<Formats>('formats', navigator.language.startsWith('n') ? 'nb-NO' : 'en-GB');

/** Decimals that the operator API's amounts have at most. */
const NOK_DECIMALS = 12;

/** Amounts are exact texts or numbers of NOK, and shown with all their digits, with two decimals at least. */
export function formatNok(amount: number | string | null | undefined, formats: Formats): string {
  if (amount === null || amount === undefined || amount === '') return '–';
  const options = { minimumFractionDigits: 2, maximumFractionDigits: NOK_DECIMALS };
  // A text is read as the decimal number that it is, not as the nearest binary one.
  return new Intl.NumberFormat(formats, options).format(amount as number | `${number}`);
}

export function formatNumber(value: number | null | undefined, formats: Formats): string {
  if (value === null || value === undefined) return '–';
  const maximumFractionDigits = Math.abs(value) < 1 ? 6 : 3;
  return new Intl.NumberFormat(formats, { maximumFractionDigits }).format(value);
}

export function formatTime(time: string | null | undefined, formats: Formats): string {
  if (!time) return '–';
  return new Intl.DateTimeFormat(formats, { dateStyle: 'short', timeStyle: 'medium' }).format(new Date(time));
}

export function formatDay(day: string | null | undefined, formats: Formats): string {
  if (!day) return '–';
  return new Intl.DateTimeFormat(formats, { dateStyle: 'short', timeZone: 'UTC' }).format(
    new Date(`${day.slice(0, 10)}T00:00:00Z`),
  );
}

const spelled = (time: Date, formats: Formats, options: Intl.DateTimeFormatOptions): string =>
  Number.isNaN(time.getTime()) ? '' : new Intl.DateTimeFormat(formats, { dateStyle: 'long', ...options }).format(time);

/** A day with the name of its month. */
export const spelledDay = (day: string, formats: Formats): string =>
  spelled(new Date(`${day.slice(0, 10)}T00:00:00Z`), formats, { timeZone: 'UTC' });

/** A moment with the name of its month, of 24 hours. */
export const spelledTime = (time: string | Date, formats: Formats): string =>
  spelled(new Date(time), formats, { timeStyle: 'short' });

/**
 * A text of somebody else, for one line: characters that control the direction of text or are invisible are shown as what they
 * are, so that no text looks like another.
 */
export const visibleText = (text: string): string =>
  text.replace(
    /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu,
    (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
