import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/**
 * Several former secrets of a webhook endpoint, newest first, each with its end. As changes of types, since the owner of the tables
 * sees no customer's rows.
 */
export class FormerWebhookSecrets1763683206000 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoint drop constraint webhook_endpoint_former_check');
    for (const [column, name, type] of [
      ['former_secret_ciphertext', 'former_secrets', 'bytea[]'],
      ['former_secret_until', 'former_secrets_until', 'timestamptz[]'],
    ]) {
      await runner.query(
        `alter table webhook_endpoint alter column ${column} type ${type} using array_remove(array[${column}], null)`,
      );
      await runner.query(`alter table webhook_endpoint alter column ${column} set default '{}'`);
      await runner.query(`alter table webhook_endpoint alter column ${column} set not null`);
      await runner.query(`alter table webhook_endpoint rename column ${column} to ${name}`);
    }
    await runner.query(
      `alter table webhook_endpoint add constraint webhook_endpoint_former_check
         check (cardinality(former_secrets) = cardinality(former_secrets_until))`,
    );
  }
}
