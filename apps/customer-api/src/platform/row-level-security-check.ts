import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';

/** @throws when the API's database role is not held to row level security: one wall would be missing. */
export async function assertRowLevelSecurity(app: NestFastifyApplication): Promise<void> {
  const [role] = await app
    .get(DataSource)
    .query<{ name: string; free: boolean }[]>(
      'select rolname as name, rolsuper or rolbypassrls as free from pg_roles where rolname = current_user',
    );
  if (role?.free) throw new Error(`The database role ${role.name} is not held to row level security`);
}
