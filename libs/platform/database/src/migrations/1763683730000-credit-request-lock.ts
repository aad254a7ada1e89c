import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from './sql-file';

/** Credit requests follow one another by a lock of their own: a locked AI account keeps no shared connection waiting. */
export class CreditRequestLock1763683730000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlFile('domains/credit-requests/src/sql/create-credit-request.sql'));
  }

  down(): Promise<void> {
    throw new Error('The function that held the account locked is gone');
  }
}
