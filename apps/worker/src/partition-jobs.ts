import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { LedgerRetentionService } from '@domains/ai';
import { AppConfig } from '@platform/config';
import { eachIndependently, PartitionsService } from '@platform/database';
import { JobRunnerService } from '@platform/jobs';
import { Metrics } from '@platform/metrics';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Months that events and their deliveries are kept besides the present one: they can be read for 30 days, which February has not. */
const EVENT_MONTHS = 2;

/** Creates the monthly partitions of growing tables ahead of time, or later for rows without one, looks for such rows, and drops old ones. */
@Injectable()
export class PartitionJobs implements OnModuleInit {
  private readonly logger = new Logger(PartitionJobs.name);
  private readonly strayRows: Gauge<'table'>;

  constructor(
    private readonly runner: JobRunnerService,
    private readonly partitions: PartitionsService,
    private readonly ledger: LedgerRetentionService,
    private readonly config: AppConfig,
    { registry }: Metrics,
  ) {
    this.strayRows = new Gauge({
      name: 'database_default_partition_rows',
      help: 'Rows of a table without a monthly partition, at the last check by this process; counted up to 10,000. Should be 0',
      labelNames: ['table'],
      registers: [registry],
    });
  }

  onModuleInit(): void {
    this.runner.register({
      name: 'database.partitions',
      everyMs: HOUR,
      leaseMs: 30 * MINUTE,
      run: async (signal) => {
        const tables = await this.partitions.tables();
        // All months first: dropping one may take long, or fail, and rows without a month are the graver trouble.
        const works = [
          ...tables.map((table) => () => this.createAhead(table, signal)),
          ...tables.map((table) => () => this.createMissed(table, signal)),
          ...tables.map((table) => () => this.lookForStrayRows(table)),
          ...tables.map((table) => () => this.dropExpired(table, signal)),
        ];
        await eachIndependently(works, (work) => work(), signal);
      },
    });
  }

  private async createAhead(table: string, signal: AbortSignal): Promise<void> {
    const made = await this.partitions.createAhead(table, this.config.PARTITION_MONTHS_AHEAD, signal);
    if (made > 0) this.logger.log({ msg: 'partitions made', table, count: made });
  }

  private async createMissed(table: string, signal: AbortSignal): Promise<void> {
    const made = await this.partitions.createMissed(table, signal);
    if (made > 0) this.logger.log({ msg: 'partitions of missed months made', table, count: made });
  }

  private async lookForStrayRows(table: string): Promise<void> {
    const stray = await this.partitions.strayRows(table);
    this.strayRows.set({ table }, stray);
    if (stray > 0)
      this.logger.error({
        msg: 'rows without a monthly partition: the default partition is not empty',
        table,
        rows: stray,
      });
  }

  private async dropExpired(table: string, signal: AbortSignal): Promise<void> {
    const kept = this.keptMonths(table);
    if (kept === 0) return;
    for (const month of await this.partitions.expired(table, kept)) {
      if (signal.aborted) return;
      if (table === 'ai_ledger_entry' && !(await this.ledger.carryForward(endOf(month), signal))) {
        this.logger.warn({ msg: 'a month of the ledger is kept: not every account is carried forward', month });
        return;
      }
      if (await this.partitions.drop(table, month, signal))
        this.logger.warn({ msg: 'partition dropped', table, month });
    }
  }

  /** Months to keep; 0 keeps all. */
  private keptMonths(table: string): number {
    switch (table) {
      case 'ai_usage':
        return this.config.AI_USAGE_RETENTION_MONTHS;
      case 'ai_ledger_entry':
        return this.config.AI_LEDGER_RETENTION_MONTHS;
      case 'sms_message':
        return this.config.SMS_RETENTION_MONTHS;
      case 'audit_log':
        return this.config.AUDIT_RETENTION_MONTHS;
      case 'event':
      case 'webhook_delivery':
        return EVENT_MONTHS;
      default:
        return 0;
    }
  }
}

/** @param month its first day, `YYYY-MM-DD` */
function endOf(month: string): Date {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 1));
}
