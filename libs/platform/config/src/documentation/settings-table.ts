import { withPart } from './made-part';
import { documentedSettings } from './settings';

/** The page of the handbook with the table. */
export const SETTINGS_PAGE = 'docs/handbook/settings.md';

const BEGIN = '<!-- settings: made by npm run settings -->';
const END = '<!-- end of settings -->';

/** Updates the table of settings in a Markdown text. */
export function withSettingsTable(markdown: string): string {
  // Not aligned: otherwise a longer setting would change every line.
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
