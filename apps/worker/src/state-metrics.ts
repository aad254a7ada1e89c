import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { CreditHealthService } from '@domains/ai';
import { WebhookQueueService } from '@domains/events';
import { SyncHealthService } from '@domains/invoices';
import { JobQueueService } from '@platform/jobs';
import { MaintenanceOperatorService } from '@platform/maintenance';
import { Metrics, readAtScrape } from '@platform/metrics';

/** How seldom a connection is made to see the certificate. */
const CERTIFICATE_MS = 600_000;

/** Metrics of a state in the database: a gauge for each value, and a time series for each row. */
interface StateGauges<Row> {
  /** One read for all gauges of a scrape. */
  read: () => Promise<Row[]>;
  failed: (error: unknown) => void;
  /** The column that identifies a row; none if there is one row. */
  label?: keyof Row & string;
  /** Name, help, value; null: none. */
  gauges: [name: string, help: string, value: (row: Row) => number | null][];
}

/**
 * The metrics of job queues, webhooks, AI credit, invoice syncs, backups, disk and certificate. A scrape reads them where they are, most of them
 * in the database, so every worker has the same.
 */
@Injectable()
export class StateMetrics implements OnModuleInit {
  private readonly logger = new Logger(StateMetrics.name);

  constructor(
    private readonly metrics: Metrics,
    private readonly queue: JobQueueService,
    private readonly credit: CreditHealthService,
    private readonly syncs: SyncHealthService,
    private readonly webhooks: WebhookQueueService,
    private readonly maintenance: MaintenanceOperatorService,
  ) {}

  onModuleInit(): void {
    this.reportMaintenance();
    this.reportWebhooks();
    this.report({
      read: () => this.queue.waiting(),
      failed: (error) => this.logger.warn({ msg: 'the state of the job queues could not be read', err: error }),
      label: 'queue',
      gauges: [
        ['worker_queue_waiting', 'Items of a queue that are due and have not begun', ({ waiting }) => waiting],
        ['worker_queue_oldest_seconds', 'How long the oldest of them has been due', ({ oldest }) => oldest],
      ],
    });
    this.report({
      read: async () => [await this.credit.read()],
      failed: (error) => this.logger.warn({ msg: 'the state of the AI credit could not be read', err: error }),
      gauges: [
        [
          'ai_credit_problems',
          'Differences between accounts, ledgers and usage that the last hourly verification found',
          ({ problems }) => problems,
        ],
        [
          'ai_credit_verified_seconds',
          'Seconds since the last verification of all AI credit ended',
          ({ verified_age }) => verified_age,
        ],
        ['ai_reservations_pending', 'Calls in progress that have reserved credit', ({ pending }) => pending],
        [
          'ai_reservation_oldest_seconds',
          'How long the oldest pending reservation has been pending',
          ({ oldest_pending_age }) => oldest_pending_age,
        ],
        ['ai_reserved_nok', 'NOK that calls in progress have reserved', ({ reserved }) => reserved],
        [
          'ai_unknown_outcomes',
          'Calls of the last 24 hours that ended with an unknown outcome: operator ai unknown',
          ({ unknown_outcomes }) => unknown_outcomes,
        ],
        ['ai_exhausted_accounts', 'Accounts without free credit', ({ exhausted_accounts }) => exhausted_accounts],
      ],
    });
    this.report({
      read: () => this.syncs.bySource(),
      failed: (error) => this.logger.warn({ msg: 'the state of the invoice syncs could not be read', err: error }),
      label: 'source',
      gauges: [
        ['invoice_sync_accounts', 'Accounts linked to a billing source', ({ accounts }) => accounts],
        [
          'invoice_sync_failing_accounts',
          'Accounts whose last sync failed: invoice sync-status --failing',
          ({ failing }) => failing,
        ],
        [
          'invoice_sync_oldest_success_seconds',
          'Age of the oldest last success of all accounts',
          ({ oldest_success_age }) => oldest_success_age,
        ],
        ['invoice_sync_overdue_seconds', 'How long the most overdue sync is overdue', ({ overdue }) => overdue],
        ['invoice_sync_problems', 'Documents of a billing source that could not be read', ({ problems }) => problems],
      ],
    });
  }

  private reportWebhooks(): void {
    this.report({
      read: async () => [await this.webhooks.health()],
      failed: (error) => this.logger.warn({ msg: 'the state of the webhooks could not be read', err: error }),
      gauges: [
        ['webhook_deliveries_due', 'Deliveries to webhook endpoints that are due and not sent', ({ due }) => due],
        [
          'webhook_oldest_untried_seconds',
          'How long an endpoint that does not fail has waited for an attempt at most, with a delivery that was not tried yet',
          ({ oldest_untried_age }) => oldest_untried_age,
        ],
        ['webhook_endpoints', 'Webhook endpoints that are in use', ({ endpoints }) => endpoints],
        [
          'webhook_failing_endpoints',
          'Those of them whose last attempt failed: operator webhook list',
          ({ failing }) => failing,
        ],
        [
          'webhook_full_endpoints',
          'Those of them that get nothing new because too much waits for their customer',
          ({ full }) => full,
        ],
      ],
    });
  }

  private reportMaintenance(): void {
    this.report({
      read: () => this.maintenance.newestBackups(),
      failed: (error) => this.logger.warn({ msg: 'the backups could not be read', err: error }),
      label: 'kind',
      gauges: [
        ['backup_age_seconds', 'Seconds since a backup was completed', ({ age }) => age],
        ['backup_bytes', 'Size of the newest backup', ({ bytes }) => bytes],
        ['backup_disk_free_bytes', 'Room that was left on its disk', ({ free }) => free],
      ],
    });
    this.report<{ age: number }>({
      read: async () => {
        const age = await this.maintenance.scheduledBackupAge();
        return age === undefined ? [] : [{ age }];
      },
      failed: (error) => this.logger.warn({ msg: 'the backups could not be read', err: error }),
      gauges: [
        [
          'backup_scheduled_age_seconds',
          "Seconds since the machine's schedule completed a backup; no value without a schedule",
          ({ age }) => age,
        ],
      ],
    });
    this.report({
      read: async () => [await this.maintenance.archive()].filter((state) => state !== undefined),
      failed: (error) => this.logger.warn({ msg: 'the state of the archive could not be read', err: error }),
      gauges: [
        ['archive_receiving', '1 while the archive receives changes', ({ receiving }) => Number(receiving)],
        ['archive_lag_bytes', 'Bytes of changes that the database keeps for the archive', ({ lag }) => lag],
      ],
    });
    this.report({
      read: async () => [await this.maintenance.disk()],
      failed: (error) => this.logger.warn({ msg: 'the disk could not be looked at', err: error }),
      gauges: [
        ['disk_free_bytes', 'Free bytes of the disk that the programs are on', ({ free }) => free],
        ['disk_size_bytes', 'Size of the disk that the programs are on', ({ size }) => size],
      ],
    });
    this.report<{ endsIn: number }>({
      read: keptFor(CERTIFICATE_MS, async () =>
        [await this.maintenance.certificate()].filter((state) => state !== undefined),
      ),
      failed: (error) => this.logger.warn({ msg: 'the certificate could not be looked at', err: error }),
      gauges: [
        ['certificate_ends_seconds', 'Seconds until the certificate of PUBLIC_URL ends', ({ endsIn }) => endsIn],
      ],
    });
  }

  private report<Row extends object>({ read, failed, label, gauges }: StateGauges<Row>): void {
    const rows = readAtScrape(read, failed);
    for (const [name, help, value] of gauges) {
      new Gauge<string>({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [this.metrics.registry],
        async collect() {
          const present = (await rows()) ?? [];
          // No value rather than one that was true some time ago. Reset, a gauge without a label is 0.
          this.reset();
          if (label === undefined) this.remove();
          for (const row of present) {
            const number = value(row);
            if (number !== null) this.set(label === undefined ? {} : { [label]: String(row[label]) }, number);
          }
        },
      });
    }
  }
}

/** Reads again when the value, or the failure, is older than that. A failure is thrown once, and then no value. */
function keptFor<T>(milliseconds: number, read: () => Promise<T[]>): () => Promise<T[]> {
  let kept: { values: T[]; at: number } | undefined;
  return async () => {
    const now = performance.now();
    if (kept !== undefined && now - kept.at < milliseconds) return kept.values;
    kept = { values: [], at: now };
    return (kept.values = await read());
  };
}
