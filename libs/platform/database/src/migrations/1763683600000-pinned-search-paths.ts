import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Pins what names mean in every function that writes, or that runs with its owner's rights: a temporary table of the
 * caller's comes last, so it cannot take the place of one of ours. `test/contract/functions.spec.ts` holds later ones to it.
 */
export class PinnedSearchPaths1763683600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const signature of await writers(runner)) {
      await runner.query(`alter function ${signature} set search_path = pg_catalog, public, pg_temp`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const signature of await writers(runner)) await runner.query(`alter function ${signature} reset search_path`);
    for (const signature of ['app.authenticate(bytea)', 'app.record_token_use(uuid[], uuid[], timestamptz[])']) {
      await runner.query(`alter function ${signature} set search_path = pg_catalog, public`);
    }
  }
}

/** All but those that only set the present customer: they name no table, and every read runs through them. */
async function writers(runner: QueryRunner): Promise<string[]> {
  const functions = (await runner.query(`
    select p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = 'app'::regnamespace and (p.prosecdef or p.provolatile = 'v')
      and p.proname not in ('set_customer', 'set_customers')`)) as { signature: string }[];
  return functions.map(({ signature }) => signature);
}
