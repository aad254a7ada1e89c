/**
 * Characters that control or deceive a terminal: control characters (C0, DEL, C1), line separators, and changes of the
 * writing direction. Not the joiners that some scripts and emoji need.
 */
const OBEYED =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]/gu;

/** The same without line feeds. */
const OBEYED_IN_LINE = new RegExp(`(?!\\n)${OBEYED.source}`, OBEYED.flags);

const SHORT_FORMS: Partial<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes control characters of a text as `\u{…}`, so that a terminal shows it. */
export function visibleText(text: string): string {
  return text.replace(OBEYED, (character) => SHORT_FORMS[character] ?? `\\u{${hex(character.codePointAt(0) ?? 0)}}`);
}

/** Like {@link visibleText}, but keeps line ends: for places where a line cannot be mistaken for something else. */
export function visibleLines(text: string): string {
  return text.split(/\r?\n/).map(visibleText).join('\n');
}

/** Escapes control characters of a JSON text without changing its meaning. Line feeds, its layout, stay. */
export function visibleJson(json: string): string {
  return json.replace(OBEYED_IN_LINE, jsonEscape);
}

function jsonEscape(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${hex(character.charCodeAt(at)).padStart(4, '0')}`)
    .join('');
}

function hex(number: number): string {
  return number.toString(16);
}
