import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** When an endpoint last had an attempt, by which it is told from one that no worker gets to. */
export class WebhookAttempts1763683207200 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_endpoint add column last_attempt_at timestamptz');
  }
}
