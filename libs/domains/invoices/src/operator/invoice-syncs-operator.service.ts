import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, In, MoreThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { OperatorList } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { InboxPage, InboxRequest } from '@platform/pagination';
import { BillingSourcesService } from '../adapters/billing-sources.service';
import { BillingAccount } from '../entities/billing-account.entity';
import { InvoiceSyncProblem } from '../entities/invoice-sync-problem.entity';
import { InvoiceSync } from '../entities/invoice-sync.entity';
import type { BillingSourceName } from '../invoice-values';

/** A request to sync now. */
export interface SyncRequest {
  customerId?: string;
  source?: BillingSourceName;
  /** Read all documents, not only those that changed. Invoices keep their ids. */
  full?: boolean;
}

/** A customer's sync with a source, with its problems. */
export type SyncReport = InvoiceSync & { sourceCustomerId: string; problems: InvoiceSyncProblem[] };

/** Filters of the inbox. */
export interface SyncFilter {
  customerId?: string;
  source?: BillingSourceName;
  /** Only those whose last run failed. */
  failing?: boolean;
}

const LOOK_MS = 250;
/** The most problems of a sync in a report, the newest. */
const MOST_PROBLEMS = 1000;

/** Reports the state of syncs to the operator, and requests syncs before they are due. The worker runs them. */
@Injectable()
export class InvoiceSyncsOperatorService {
  private readonly syncs: OperatorList<InvoiceSync, SyncFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly sources: BillingSourcesService,
    private readonly audit: AuditService,
  ) {
    this.syncs = new OperatorList(dataSource, InvoiceSync, {
      name: 'invoice-syncs',
      filters: { customerId: 'customerId', source: 'source', failing: () => ({ failures: MoreThan(0) }) },
      orders: { failures: { by: 't.failures', kind: 'number' }, due_at: { by: 't.dueAt', kind: 'time' } },
      usual: '-failures',
      // Bytes, not letters: most syncs have the same number of failures, so that all are compared by it.
      id: { by: `(cast(t.customerId as text) || ' ' || t.source) collate "C"`, kind: 'text' },
    });
  }

  /** State of the syncs of a customer, or of all; with `failing` only those whose last run failed. */
  async report(customerId?: string, failing = false): Promise<SyncReport[]> {
    const where = customerId === undefined ? {} : { customerId };
    const { manager } = this.dataSource;
    const [syncs, accounts, problems] = await Promise.all([
      manager.find(InvoiceSync, {
        where: { ...where, ...(failing && { failures: MoreThan(0) }) },
        order: { customerId: 'ASC', source: 'ASC' },
      }),
      manager.find(BillingAccount, { where }),
      this.problems(customerId === undefined ? undefined : [customerId]),
    ]);
    return syncs.map(reporter(accounts, problems));
  }

  /** A page of the syncs, those that fail most first; with the number of all. */
  async inbox({ failing = false, ...filter }: SyncFilter, request: InboxRequest): Promise<InboxPage<SyncReport>> {
    const page = await this.syncs.inbox({ ...filter, failing }, request);
    const { manager } = this.dataSource;
    const customerIds = page.items.map(({ customerId }) => customerId);
    const [accounts, problems] = await Promise.all([
      manager.findBy(BillingAccount, { customerId: In(customerIds) }),
      this.problems(customerIds),
    ]);
    return page.map(reporter(accounts, problems));
  }

  /** The problems of the syncs of these customers, or of all, the newest first: of each sync {@link MOST_PROBLEMS} at most. */
  private problems(customerIds: readonly string[] | undefined): Promise<InvoiceSyncProblem[]> {
    return this.dataSource.query<InvoiceSyncProblem[]>(
      // Numbered, and not a limit for each sync, which a cluster refuses.
      `select customer_id as "customerId", source, source_id as "sourceId", detail, seen_at as "seenAt"
       from (select p.*, row_number() over (partition by customer_id, source order by seen_at desc) as place
             from invoice_sync_problem p where $1::uuid[] is null or customer_id = any($1)) p
       where place <= $2
       order by seen_at desc`,
      [customerIds, MOST_PROBLEMS],
    );
  }

  /** Makes syncs due at once, including those that wait after a failure. @returns how many */
  request(actor: string, { customerId, source, full = false }: SyncRequest): Promise<number> {
    this.assertConfigured(source);
    return this.dataSource.transaction(async (manager) => {
      const [, accounts] = await manager.query<[unknown[], number]>(
        `update invoice_sync set due_at = app.now(), queued_at = null, failures = 0, failing_since = null,
           checkpoint = case when $3 then '{}' else checkpoint end, run_id = case when $3 then null else run_id end
         where ($1::uuid is null or customer_id = $1) and ($2::text is null or source = $2)`,
        [customerId, source, full],
      );
      const metadata = { source, full, accounts };
      await this.audit.record(manager, {
        customerId: customerId ?? NO_CUSTOMER,
        actor,
        action: 'invoice.sync',
        metadata,
      });
      return accounts;
    });
  }

  /**
   * Requests the sync of one account and waits for its end. @returns whether it succeeded; undefined if no worker has
   * finished it within `withinMs` @throws ServiceError invalid_request if the source is not configured, not_found if
   * the customer is not linked to it
   */
  async requestAndWait(
    actor: string,
    request: Required<SyncRequest>,
    withinMs: number,
  ): Promise<'succeeded' | 'failed' | undefined> {
    const { customerId, source } = request;
    if ((await this.request(actor, request)) === 0) {
      throw new ServiceError('not_found', `The customer is not linked to ${source}`);
    }
    const [asked] = await this.read<{ due_at: string }>('due_at::text', customerId, source);
    const until = performance.now() + withinMs;
    while (performance.now() < until) {
      const [run] = await this.read<{ ended: boolean; succeeded: boolean }>(
        // Not the last one of a clock that was ahead, which began in the future.
        `started_at between $3 and app.now() and finished_at >= started_at as ended, succeeded_at is not null and succeeded_at = finished_at as succeeded`,
        customerId,
        source,
        asked?.due_at,
      );
      if (!run) throw new ServiceError('not_found', `The customer is not linked to ${source} any more`);
      if (run.ended) return run.succeeded ? 'succeeded' : 'failed';
      await sleep(LOOK_MS);
    }
    return undefined;
  }

  private read<Row>(columns: string, ...values: unknown[]): Promise<Row[]> {
    return this.dataSource.query<Row[]>(
      `select ${columns} from invoice_sync where customer_id = $1 and source = $2`,
      values,
    );
  }

  private assertConfigured(source: BillingSourceName | undefined): void {
    if (source !== undefined && !this.sources.find(source)) {
      throw new ServiceError('invalid_request', `${source} is not configured`);
    }
  }
}

/** Adds its account and its problems to a sync. */
function reporter(accounts: BillingAccount[], problems: InvoiceSyncProblem[]): (sync: InvoiceSync) => SyncReport {
  const key = (row: { customerId: string; source: string }) => `${row.customerId} ${row.source}`;
  const idOf = new Map(accounts.map((account) => [key(account), account.sourceCustomerId]));
  const problemsOf = Map.groupBy(problems, key);
  return (sync) =>
    Object.assign(sync, { sourceCustomerId: idOf.get(key(sync)) ?? '', problems: problemsOf.get(key(sync)) ?? [] });
}
