import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';
import { sqlFile } from './sql-file';

const FUNCTIONS = {
  'domains/sms/src/customer/sending/sql/create-sms.sql':
    'app.create_sms(uuid, uuid, text, text, text, integer, text, integer, text, text, uuid, text, text[], integer)',
  'domains/sms/src/customer/sending/sql/record-sms-outcome.sql':
    'app.record_sms_outcome(uuid, uuid, text, text, text[], text, timestamptz, text, text)',
  'domains/support/src/sql/open-support-ticket.sql':
    'app.open_support_ticket(uuid, uuid, text, text, text, integer, text, text, text, uuid)',
  'domains/credit-requests/src/sql/create-credit-request.sql':
    'app.create_credit_request(uuid, numeric, text, text, integer, text, uuid)',
};

/**
 * What customers write is one statement each: one round trip and one commit, so no connection waits inside a transaction for
 * a process that has no time. It removes what the former code called; no version has been released that could run beside it.
 */
export class WritesInOneStatement1763683630000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const [path, signature] of Object.entries(FUNCTIONS)) {
      await runner.query(sqlFile(path));
      await exposeFunction(runner, signature);
    }
    await runner.query(
      `drop function app.ai_request_credit(uuid, timestamptz, numeric, text, text, integer, text, uuid)`,
    );
  }

  down(): Promise<void> {
    throw new Error('The statements that the former code used are gone');
  }
}
