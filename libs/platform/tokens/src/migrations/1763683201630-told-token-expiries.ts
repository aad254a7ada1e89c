import type { QueryRunner } from 'typeorm';
import { ForwardMigration } from '@platform/database';

/** How many days before a token's expiry its customer was told of it last; null if it was not. */
export class ToldTokenExpiries1763683201630 extends ForwardMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table service_token add column expiry_told_days smallint`);
  }
}
