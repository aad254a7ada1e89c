import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A migration, for one server and for a cluster alike. One DDL statement per `query()`: a cluster's coordinator takes them
 * one by one. Afterwards `../distribution` spreads its tables over a cluster.
 */
export abstract class ForwardMigration implements MigrationInterface {
  /**
   * Tables that it creates in the schema `public`, each after those that it refers to: by them a database is recognised
   * (`../schema/known-schema.ts`), and in this order they are distributed.
   */
  readonly tables: readonly string[] = [];

  /**
   * Functions that it creates, such as `app.f`, that a cluster may run on the node of the customer, their first parameter.
   * Only for functions that access nothing but that customer's rows and tables that every node has.
   */
  readonly delegatedFunctions: readonly string[] = [];

  /**
   * How long such functions wait for a lock, by their name. It is said where they are delegated, because a cluster's nodes do
   * not hear of what the connection has set; on one server the connection says it.
   */
  readonly delegatedLockTimeouts: Readonly<Record<string, string>> = {};

  abstract up(runner: QueryRunner): Promise<void>;

  /** Migrations only go forward; what the way back is, the operators' handbook says. */
  down(): Promise<void> {
    throw new Error('Migrations only go forward: restore a backup');
  }
}
