/** Replaces the text between two markers. @throws if a marker is missing */
export function withPart(text: string, begin: string, part: string, end: string): string {
  const [before, rest] = split(text, begin);
  const [, after] = split(rest, end);
  return `${before}${begin}${part}${end}${after}`;
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`The text has no mark ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
