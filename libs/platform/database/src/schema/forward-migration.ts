import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { FunctionFile } from './functions';

/**
 * A migration, for one server and for a cluster alike. One DDL statement per `query()`: a cluster's coordinator takes them
 * one by one. Afterwards `distribute-schema.ts` spreads its tables over a cluster.
 */
export abstract class ForwardMigration implements MigrationInterface {
  /**
   * Tables that it creates in the schema `public`, each after those that it refers to: by them a database is recognised
   * (`migrate.ts`), and in this order they are distributed.
   */
  readonly tables: readonly string[] = [];

  /**
   * Tables that each node of a cluster has for itself, with rows of its own, and the statements that make or change one. They may
   * run again. Such a table can be written while another node is down.
   */
  readonly nodeTables: Readonly<Record<string, readonly string[]>> = {};

  /**
   * The functions of the library, each after those that its SQL calls. They are no part of the migration: whenever one of
   * them has changed, all are applied after the migrations, as they are then. So `up` does not call them, except those of
   * `1763683200000-database.ts`.
   */
  readonly functions: readonly FunctionFile[] = [];

  abstract up(runner: QueryRunner): Promise<void>;

  /** Migrations only go forward; the operators' handbook says how to go back. */
  down(): Promise<void> {
    throw new Error('Migrations only go forward: restore a backup');
  }
}
