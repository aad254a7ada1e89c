import { withPart } from './made-part';
import { documentedSettings } from './settings';

/** The page of the handbook that has the table. */
export const SETTINGS_PAGE = 'docs/handbook/settings.md';

const BEGIN = '<!-- settings: made by npm run settings -->';
const END = '<!-- end of settings -->';

/** A Markdown text with its table of settings brought up to date. */
export function withSettingsTable(markdown: string): string {
  // Not aligned: a longer setting would change every line.
  const made = `\n\n<!-- prettier-ignore-start -->\n${table()}\n<!-- prettier-ignore-end -->\n\n`;
  return withPart(markdown, BEGIN, made, END);
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
