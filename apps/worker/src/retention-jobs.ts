import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { SmsRetentionService } from '@domains/sms';
import { StatusRetentionService } from '@domains/status';
import { TicketRetentionService } from '@domains/support';
import { AppConfig } from '@platform/config';
import { JobRunnerService } from '@platform/jobs';
import { tidyLogFiles } from '@platform/logging';
import { OperatorRequestKeysService } from '@platform/operator-accounts';
import { RefusalsOperatorService } from '@platform/refusals';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Deletes or blanks rows, and log files, whose retention time is over. `PartitionJobs` drops the rows that are kept by month. */
@Injectable()
export class RetentionJobs implements OnModuleInit {
  private readonly logger = new Logger(RetentionJobs.name);

  constructor(
    private readonly runner: JobRunnerService,
    private readonly sms: SmsRetentionService,
    private readonly tickets: TicketRetentionService,
    private readonly events: StatusRetentionService,
    private readonly refusals: RefusalsOperatorService,
    private readonly requestKeys: OperatorRequestKeysService,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.runner.register({
      name: 'retention.purge',
      everyMs: HOUR,
      leaseMs: 30 * MINUTE,
      run: (signal) => this.purge(signal),
    });
  }

  private async purge(signal: AbortSignal): Promise<void> {
    const { SMS_TEXT_RETENTION_DAYS, TICKET_RETENTION_DAYS, STATUS_EVENT_RETENTION_DAYS, REFUSAL_RETENTION_DAYS } =
      this.config;
    const { LOG_DIRECTORY, LOG_RETENTION_DAYS } = this.config;
    const purges = [
      { kind: 'texts of SMS', days: SMS_TEXT_RETENTION_DAYS, run: (days: number) => this.sms.blankTexts(days, signal) },
      { kind: 'closed tickets', days: TICKET_RETENTION_DAYS, run: (days: number) => this.tickets.purge(days, signal) },
      {
        kind: 'ended status events',
        days: STATUS_EVENT_RETENTION_DAYS,
        run: (days: number) => this.events.purge(days, signal),
      },
    ];
    const works = purges.map(({ kind, days, run }) => async () => {
      if (days === 0 || signal.aborted) return;
      const count = await run(days);
      if (count > 0) this.logger.warn({ msg: 'rows kept long enough were purged', kind, count });
    });
    const failures: unknown[] = [];
    // Each by itself: what fails keeps no other from being purged.
    for (const work of [
      ...works,
      () => this.sms.purgeCounts(signal),
      () => this.refusals.purge(REFUSAL_RETENTION_DAYS, signal),
      () => this.requestKeys.purge(),
      () => (LOG_DIRECTORY === undefined ? undefined : tidyLogFiles(LOG_DIRECTORY, LOG_RETENTION_DAYS)),
    ])
      await Promise.resolve(work()).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw new AggregateError(failures, 'Some rows could not be purged');
  }
}
