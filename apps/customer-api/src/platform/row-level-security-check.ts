import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import { NotMigratedError } from '@app/database';

/**
 * @throws when the API's database role is not the one that row level security holds: one wall would be missing; and
 * NotMigratedError when there is no schema.
 */
export async function assertRowLevelSecurity(app: NestFastifyApplication): Promise<void> {
  const [found] = await app.get(DataSource).query<{ name: string; free: boolean; migrated: boolean }[]>(
    `select rolname as name, rolsuper or rolbypassrls or rolname <> 'customer_api' as free,
       to_regnamespace('app') is not null as migrated
     from pg_roles where rolname = current_user`,
  );
  if (found?.free !== false)
    throw new Error(`The database role ${found?.name ?? '?'} is not held to row level security`);
  if (!found.migrated) throw new NotMigratedError();
}
