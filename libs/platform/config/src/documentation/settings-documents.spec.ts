import { readFileSync } from 'node:fs';
import { configSchema } from '../schema';
import { loadConfig } from '../load-config';
import { envExample, SETTINGS_PAGE, withSettingsTable } from './settings-documents';

const text = readFileSync('.env.example', 'utf8');
const listed = [...text.slice(text.indexOf('--- the service')).matchAll(/^# ([A-Z_]+)=(.*)$/gm)];

describe('.env.example', () => {
  it('lists every setting, and none that does not exist', () => {
    expect(listed.map(([, name]) => name)).toEqual(Object.keys(configSchema.shape));
  });

  it('is what `npm run settings` makes of the schema', () => expect(text).toBe(envExample()));

  it('describes every setting', () => {
    for (const [name, { description }] of Object.entries(configSchema.shape)) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.{10,}/)]);
    }
  });

  it('sets nothing, so that no secret is shared by those who copy it', () => {
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  it('shows defaults that are taken as they are written', () => {
    const shown = Object.fromEntries(listed.map(([, name, value]) => [name, value]));
    expect(loadConfig(shown)).toEqual(loadConfig({}));
  });
});

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
