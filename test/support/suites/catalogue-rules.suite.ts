import type { Client } from 'pg';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from '../test-database';

/** A rule of the schema: what breaks it, found in the catalogue, and statements that break it. */
export interface CatalogueRule {
  rule: string;
  /** A query for the names of what breaks it. */
  broken: string;
  /** The last of the statements breaks it; what is found then. */
  breaks: [...statements: string[], found: string];
}

/** Tests that each rule is kept, and that it would be noticed if it were not. A cluster may refuse what breaks it. */
export function describeCatalogueRules(subject: string, rules: CatalogueRule[]): void {
  describe(subject, () => {
    let database: TestDatabase;
    let superuser: Client;
    beforeAll(async () => {
      database = await createTestDatabase();
      superuser = await connectAsSuperuser(database);
    });
    afterAll(async () => {
      await superuser.end();
      await database.drop();
    });

    const namesOf = async (sql: string) => (await superuser.query<{ name: string }>(sql)).rows.map(({ name }) => name);

    describe.each(rules)('$rule', ({ broken, breaks }) => {
      it('is kept', async () => {
        expect(await namesOf(broken)).toEqual([]);
      });

      it('is noticed when it is broken', async () => {
        const found = breaks.at(-1);
        await superuser.query('begin');
        try {
          const refused = await breakWith(breaks.slice(0, -1));
          if (!refused) expect(await namesOf(broken)).toEqual([found]);
        } finally {
          await superuser.query('rollback');
        }
      });

      /** @returns whether the cluster refused it */
      async function breakWith(statements: string[]): Promise<boolean> {
        try {
          for (const statement of statements) await superuser.query(statement);
          return false;
        } catch (error) {
          if (database.workers.length === 0) throw error;
          return true;
        }
      }
    });
  });
}

/** The functions of the schema `app`, each statement of theirs in a row: `name`, `statement`, without comments. */
export const FUNCTION_STATEMENTS = String.raw`(
  select p.oid::regprocedure::text as name, p.proname, lower(statement) as statement
  from pg_proc p cross join regexp_split_to_table(regexp_replace(p.prosrc, '--[^\n]*', '', 'g'), ';') as statement
  where p.pronamespace = 'app'::regnamespace) statements`;
