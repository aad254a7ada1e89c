import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { assertDatabaseFit } from '@app/database';

/** Refuses to run without a schema, or in another role, before any job starts. */
@Injectable()
export class WorkerDatabase implements OnModuleInit {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws NotMigratedError, UnfitDatabaseError */
  async onModuleInit(): Promise<void> {
    await assertDatabaseFit(this.dataSource, 'account_operator');
  }
}
