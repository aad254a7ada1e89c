import { join } from 'node:path';
import type { QueryRunner } from 'typeorm';
import { ForwardMigration, type FunctionFile } from '@platform/database';

/** Which status events' begin was told as an event: those that had begun before there were any count as told. */
export class ToldStatusEvents1763683201620 extends ForwardMigration {
  override readonly functions: FunctionFile[] = [
    {
      path: join(__dirname, '..', 'sql', 'service-status.sql'),
      functions: {
        status_event_runs: {},
        status_rank: {},
        service_status_record: { roles: ['account_operator'] },
        record_service_event: { roles: ['account_operator'] },
        announce_begun_status_events: { roles: ['account_operator'] },
      },
    },
  ];

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table status_event add column begin_told boolean not null default true`);
    await runner.query(`alter table status_event alter column begin_told set default false`);
    await runner.query(`create index status_event_begin_idx on status_event (starts_at) where not begin_told`);
  }
}
