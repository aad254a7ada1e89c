import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertDatabaseFit, DatabaseClockService } from '@platform/database';

/** Refuses to run without a schema, or in another role, before any job starts; says if the clock is wrong. */
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
