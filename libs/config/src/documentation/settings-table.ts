import { documentedSettings } from './settings';

const BEGIN = '<!-- settings: made by npm run settings -->';
const END = '<!-- end of settings -->';

/** A Markdown text with its table of settings brought up to date. */
export function withSettingsTable(markdown: string): string {
  const [before, rest] = split(markdown, BEGIN);
  const [, after] = split(rest, END);
  // Not aligned: a longer setting would change every line.
  return `${before}${BEGIN}\n\n<!-- prettier-ignore-start -->\n${table()}\n<!-- prettier-ignore-end -->\n\n${END}${after}`;
}

function table(): string {
  const rows = documentedSettings().map(({ name, description, default: value }) => [
    `\`${name}\``,
    value === undefined ? '' : `\`${value}\``,
    description.replaceAll('|', '\\|'),
  ]);
  const cells = [['setting', 'default', 'what it is'], ['---', '---', '---'], ...rows];
  return cells.map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function split(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`The text has no mark ${mark}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
