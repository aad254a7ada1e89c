import { readFileSync } from 'node:fs';
import { SETTINGS_PAGE, withSettingsTable } from './settings-table';

describe("the handbook's table of settings", () => {
  it('is what `npm run settings` makes of the schema', () => {
    const page = readFileSync(SETTINGS_PAGE, 'utf8');
    expect(page).toBe(withSettingsTable(page));
  });

  it('keeps the text around it, and escapes what would end a cell', () => {
    const text = 'before\n<!-- settings: made by npm run settings -->\nformer rows\n<!-- end of settings -->\nafter';
    const made = withSettingsTable(text);
    expect(made).toMatch(/^before\n/);
    expect(made).toMatch(/\nafter$/);
    expect(made).not.toContain('former rows');
    expect(made).toMatch(/\n\| `PORT` \| `3000` \| [^|]+ \|\n/);
  });
});
