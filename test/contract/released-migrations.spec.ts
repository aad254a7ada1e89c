import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import type { QueryRunner } from 'typeorm';
import { migrations } from '@schema';

const FILE = join(__dirname, '../../libs/schema/released-migrations.json');
const FUNCTION = /^(create or replace function|alter function|(revoke|grant) \w+ on function) /;

/** The statements of a migration, without the functions that it uses: those are applied in their present form. */
async function statementsOf(name: string): Promise<string[]> {
  const Migration = migrations.find((migration) => migration.name === name);
  if (!Migration) return [];
  const statements: string[] = [];
  const query = (sql: string) => {
    const statement = sql.replaceAll(/\s+/g, ' ').trim();
    if (!FUNCTION.test(statement)) statements.push(statement);
    return Promise.resolve([]);
  };
  await new Migration().up({ query } as unknown as QueryRunner);
  return statements;
}

async function digestOf(name: string): Promise<string> {
  return createHash('sha256')
    .update(JSON.stringify(await statementsOf(name)))
    .digest('hex');
}

/** Each with the digest of its statements, in the order in which they ran. */
const released = JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, string>;

/** `npm run migrations:release`, when a version is made. */
async function release(): Promise<void> {
  const added = migrations.map(({ name }) => name).filter((name) => !(name in released));
  for (const name of added) released[name] = await digestOf(name);
  const text = await format(JSON.stringify(released), { ...(await resolveConfig(FILE)), filepath: FILE });
  writeFileSync(FILE, text);
}

describe('the migrations of versions that were released', () => {
  beforeAll(() => (process.env.RELEASE_MIGRATIONS === undefined ? undefined : release()));

  it('are there in their order, before all others', () => {
    const names = Object.keys(released);
    expect(migrations.map(({ name }) => name).slice(0, names.length)).toEqual(names);
  });

  it('have the statements that they had', async () => {
    for (const [name, digest] of Object.entries(released))
      expect({ name, digest: await digestOf(name) }).toEqual({ name, digest });
  });

  it('consist of statements, the same every day', async () => {
    for (const { name } of migrations) {
      const statements = await statementsOf(name);
      expect(statements).not.toEqual([]);
      expect(statements.join('\n')).not.toMatch(/\b20\d\d[-_]?\d\d\b/);
    }
  });
});
