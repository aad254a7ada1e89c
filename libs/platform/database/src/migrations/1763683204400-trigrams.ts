import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '../schema/forward-migration';

/** The extension for indexes by which parts of texts are found. PostgreSQL trusts it: an owner who is no superuser may create it. */
export class Trigrams1763683204400 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`create extension if not exists pg_trgm schema public`);
  }
}
