import type { Client } from 'pg';
import { connectAsSuperuser, createTestDatabase, type TestDatabase } from './test-database';

/** A test file's database, from the first `beforeAll` of its `describe` on. */
export interface UsedDatabase extends TestDatabase {
  /** A connection that sees and may do everything. */
  superuser: Client;
}

/**
 * Gives a test file a database, and drops it in the end. To be called at the top of the file, outside `describe`, so that
 * what `describe` opens is closed before the database is dropped. @param settings further environment variables
 */
export function useTestDatabase(settings?: Record<string, string>): UsedDatabase {
  const used: Partial<UsedDatabase> = {};
  beforeAll(async () => {
    const database = await createTestDatabase(settings);
    Object.assign(used, database, { superuser: await connectAsSuperuser(database) });
  });
  afterAll(async () => {
    await used.superuser?.end();
    await used.drop?.();
  });
  return used as UsedDatabase;
}
