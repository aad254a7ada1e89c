import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** The index of the deliveries to endpoints of all customers. */
export class WebhookInbox1763683203900 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index webhook_delivery_inbox_idx on webhook_delivery ((created_at at time zone 'UTC') desc, id desc)`,
    );
  }
}
