import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { AiMaintenance } from '@app/ai';
import { JobRunner } from '@app/jobs';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** AI work that must happen without a call. Calls turn the month by themselves; the worker does it for those who don't call. */
@Injectable()
export class AiJobs implements OnModuleInit {
  private readonly logger = new Logger(AiJobs.name);

  constructor(
    private readonly runner: JobRunner,
    private readonly maintenance: AiMaintenance,
  ) {}

  onModuleInit(): void {
    this.runner.register({
      name: 'ai.resolve-stale-holds',
      everyMs: 15 * SECOND,
      leaseMs: 5 * MINUTE,
      run: async (signal) =>
        this.report('AI calls given up, outcome unknown', await this.maintenance.resolveStaleHolds(signal)),
    });
    this.runner.register({
      name: 'ai.roll-months-over',
      everyMs: MINUTE,
      leaseMs: 30 * MINUTE,
      run: async (signal) => this.report('AI accounts rolled over', await this.maintenance.rollMonthsOver(signal)),
    });
  }

  private report(what: string, count: number): void {
    if (count > 0) this.logger.warn({ msg: what, count });
  }
}
