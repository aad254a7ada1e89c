import type { MigrationInterface, QueryRunner } from 'typeorm';
import { sqlFile } from './sql-file';

const RECORD = 'app.record_token_uses(uuid[], uuid[], double precision[])';

/**
 * Tokens are noted as used by the database's clock. `app.record_token_use` stays for replicas of before. That they expire by it
 * comes with 1763684000000, which replaces the function that knows.
 */
export class TokensByDatabaseClock1763683620000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sqlFile('platform/tokens/src/authentication/sql/record-token-uses.sql'));
    await runner.query(`revoke all on function ${RECORD} from public`);
    await runner.query(`grant execute on function ${RECORD} to customer_api`);
    await runner.query(`grant create on schema app to account_operator`);
    await runner.query(`alter function ${RECORD} owner to account_operator`);
    await runner.query(`revoke create on schema app from account_operator`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`drop function ${RECORD}`);
  }
}
