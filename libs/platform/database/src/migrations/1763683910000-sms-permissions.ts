import type { MigrationInterface, QueryRunner } from 'typeorm';
import { exposeFunction } from './helpers';
import { sqlFile } from './sql-file';

/** Countries that a customer may send SMS to, and a cap in parts beside the one in messages. */
export class SmsPermissions1763683910000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table sms_settings add column daily_parts_cap integer`);
    await runner.query(`alter table sms_settings add column countries text[]`);
    await runner.query(
      `alter table sms_settings add constraint sms_settings_parts_cap_check check (daily_parts_cap >= 0)`,
    );
    await runner.query(`alter table sms_daily_count add column parts integer not null default 0`);
    await runner.query(`grant update (parts) on sms_daily_count to customer_api`);
    await runner.query(
      `drop function if exists app.create_sms(uuid, uuid, text, text, text, integer, text, integer, text, text, uuid)`,
    );
    await runner.query(sqlFile('domains/sms/src/customer/sending/sql/create-sms.sql'));
    await exposeFunction(
      runner,
      'app.create_sms(uuid, uuid, text, text, text, integer, text, integer, text, text, uuid, text, text[], integer)',
    );
    await runner.query(sqlFile('domains/sms/src/customer/sending/sql/record-sms-outcome.sql'));
  }

  down(): Promise<void> {
    throw new Error('The statements that the former code used are gone');
  }
}
