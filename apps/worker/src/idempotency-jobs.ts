import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { IdempotencyMaintenanceService } from '@platform/idempotency';
import { JobRunnerService } from '@platform/jobs';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The scheduled jobs for Idempotency-Keys. */
@Injectable()
export class IdempotencyJobs implements OnModuleInit {
  private readonly logger = new Logger(IdempotencyJobs.name);

  constructor(
    private readonly runner: JobRunnerService,
    private readonly maintenance: IdempotencyMaintenanceService,
  ) {}

  onModuleInit(): void {
    this.runner.register({
      name: 'idempotency.complete-overdue-keys',
      everyMs: 2 * SECOND,
      leaseMs: MINUTE,
      run: async (signal) => {
        const count = await this.maintenance.giveUpOverdue(signal);
        if (count > 0) this.logger.warn({ msg: 'Idempotency-Keys completed with an unknown outcome', count });
      },
    });
    this.runner.register({
      name: 'idempotency.purge-expired-keys',
      everyMs: 10 * MINUTE,
      leaseMs: 10 * MINUTE,
      run: async (signal) => {
        const count = await this.maintenance.purgeExpired(signal);
        if (count > 0) this.logger.log({ msg: 'expired Idempotency-Keys purged', count });
      },
    });
  }
}
