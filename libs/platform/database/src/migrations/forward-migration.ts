import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration. One DDL statement per `query()`: a cluster's coordinator takes them one by one. */
export abstract class ForwardMigration implements MigrationInterface {
  /** Tables that it creates in the schema `public`: by them a database is recognised (`../schema/known-schema.ts`). */
  readonly tables: readonly string[] = [];

  abstract up(runner: QueryRunner): Promise<void>;

  /** Migrations only go forward; what the way back is, the operators' handbook says. */
  down(): Promise<void> {
    throw new Error('Migrations only go forward: restore a backup');
  }
}
