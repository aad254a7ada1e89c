import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AiMaintenanceService, AiVerificationOperatorService } from '@domains/ai';
import { AppConfig } from '@platform/config';
import { JobRunnerService } from '@platform/jobs';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The AI domain's scheduled jobs. */
@Injectable()
export class AiJobs implements OnModuleInit {
  private readonly logger = new Logger(AiJobs.name);

  constructor(
    private readonly runner: JobRunnerService,
    private readonly maintenance: AiMaintenanceService,
    private readonly verification: AiVerificationOperatorService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    // A call rolls its account over to the new month by itself; the job does so for accounts without calls.
    this.runner.register({
      name: 'ai.roll-months-over',
      everyMs: MINUTE,
      leaseMs: 30 * MINUTE,
      run: async (signal) => {
        const count = await this.maintenance.rollMonthsOver(signal);
        if (count > 0) this.logger.warn({ msg: 'AI accounts rolled over', count });
      },
    });
    this.runner.register({
      name: 'ai.purge-ended-reservations',
      everyMs: HOUR,
      leaseMs: 30 * MINUTE,
      run: async (signal) => {
        const count = await this.maintenance.purgeEnded(this.config.AI_RESERVATION_RETENTION_DAYS, signal);
        if (count > 0) this.logger.log({ msg: 'ended AI reservations purged', count });
      },
    });
    this.runner.register({
      name: 'ai.verify',
      everyMs: HOUR,
      leaseMs: 30 * MINUTE,
      run: (signal) => this.verifyCredit(signal),
    });
    this.runner.register({
      name: 'ai.forget-gone-processes',
      everyMs: HOUR,
      leaseMs: MINUTE,
      run: () => this.maintenance.forgetGoneProcesses(),
    });
  }

  /** Verifies the AI credit of all customers, unless it is aborted. */
  async verifyCredit(signal: AbortSignal): Promise<void> {
    const verified = await this.verification.runAll(signal, (problem) => {
      this.logger.error({ msg: 'AI credit does not add up', ...problem });
    });
    if (verified) this.logger.log({ msg: 'AI accounts verified', ...verified });
  }
}
