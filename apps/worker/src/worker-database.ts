import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertDatabaseFit, DatabaseClockService } from '@platform/database';

/**
 * Refuses to start without a migrated schema or with the wrong role, before any job starts. Logs a difference between
 * the clocks.
 */
@Injectable()
export class WorkerDatabase implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: DatabaseClockService,
  ) {}

  /** @throws NotMigratedError, UnfitDatabaseError */
  async onModuleInit(): Promise<void> {
    await assertDatabaseFit(this.dataSource, 'account_operator');
    await this.clock.compare();
  }
}
