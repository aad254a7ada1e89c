import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource } from 'typeorm';
import type { AppConfig } from '@platform/config';
import { assertDatabaseFit, UnfitDatabaseError } from '@platform/database';

/**
 * @throws NotMigratedError if there is no schema
 * @throws UnfitDatabaseError if the API's database role, or in production its login, can bypass row level security: one
 * isolation layer would be missing
 */
export async function assertIsolation(app: NestFastifyApplication, config: AppConfig): Promise<void> {
  for (const excess of await assertDatabaseFit(app.get(DataSource), 'customer_api')) {
    if (config.NODE_ENV === 'production') throw new UnfitDatabaseError(excess);
    new Logger('Isolation').warn(excess);
  }
}
