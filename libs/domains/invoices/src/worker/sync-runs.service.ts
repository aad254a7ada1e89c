import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { BillingSourceName } from '../invoice-values';
import type { BillingSource } from '../ports/billing-source.port';
import { type ReadDocuments, SyncedDocumentsService } from './synced-documents.service';

/** Progress of a run. Stored with each page, so that another run can continue there. */
export interface RunProgress {
  /** When the run began by the database's clock, RFC 3339. */
  startedAt: string;
  /** Index of the current feed; past the last one while settled documents are looked for. */
  feed: number;
  /** Position in the feed, or the last invoice that was checked. */
  position?: string;
  /** Pages of the current feed that were read. */
  pages?: number;
  /** An item had no id and cannot be requested again: the next run must begin where this one did. */
  unread?: true;
}

/** Checkpoint of a customer's sync with one source. */
export interface SyncCheckpoint {
  /** When the last complete run began, RFC 3339. All documents from before were read. */
  since?: string;
  /** The run in progress, or one that was interrupted. */
  run?: RunProgress;
}

// Points in time are computed ahead of the update that stores them: a cluster takes no such expressions beside columns.
const IN_MINUTES = `select (app.now() + $1 * interval '1 minute')::text as due`;

/**
 * Whether the last run began in the future: the database's clock was ahead, and it is unknown when that run read what. By more than a
 * minute: less is well within the time before a run that the next one reads again. The checkpoint may be older than the last run.
 */
const WAS_AHEAD = `
  select coalesce(greatest(started_at, (checkpoint ->> 'since')::timestamptz) > app.now() + interval '1 minute', false) as ahead
  from invoice_sync where customer_id = $1 and source = $2`;

/** When a sync that fails now is due again: $3 the longest pause in minutes, $4 the shortest in milliseconds. */
const AFTER_FAILURE = `
  select app.now()::text as now, (app.now() + greatest(
    least(interval '15 seconds' * 2 ^ least(failures, 12),
      case when coalesce(failing_since, app.now()) > app.now() - interval '1 hour'
        then interval '1 minute' else $3 * interval '1 minute' end),
    $4 * interval '1 millisecond'))::text as due
  from invoice_sync where customer_id = $1 and source = $2`;

/** The record of a sync that failed for the first time in a row. Not in the statement that writes the event: a cluster refuses that. */
const FIRST_FAILURE = `
  select json_build_object('source', source, 'error', last_error, 'failing_since', app.json_time(failing_since))::text as record
  from invoice_sync where customer_id = $1 and source = $2 and failures = 1`;
const FAILED_EVENT = `
  select app.record_operator_event($1, 'invoice.sync_failed', json_build_object('source', $2::text), $3::json)`;

/** A run of a customer's sync with a source. Only the newest run may write. */
export interface SyncRun {
  id: string;
  customerId: string;
  source: BillingSourceName;
  /** The customer's id in the source. */
  account: string;
  /** The company at the source that the account is one of, if the source has several. */
  company: string | undefined;
  checkpoint: SyncCheckpoint;
  /** When it began, by the database's clock; RFC 3339. */
  startedAt: string;
  /** When the first of the runs before it that failed in a row did; RFC 3339. */
  failingSince: string | undefined;
}

/** The row of a sync whose run begins. */
interface BegunRow {
  checkpoint: SyncCheckpoint;
  started_at: Date;
  failing_since: Date | null;
}

/** Another run has begun: this one took too long, or the operator requested a full sync. */
export class RunSupersededError extends Error {}

/** The runs of syncs, as the database knows them: beginning, progress, end. Every statement that writes names the customer. */
@Injectable()
export class SyncRunsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: SyncedDocumentsService,
  ) {}

  /**
   * Begins a run; from now on no other run of the account may write. The first that reads anything decides the account's company.
   * After the database's clock was set back it reads everything: what came meanwhile would be in no feed, and never be shown.
   * @returns undefined if the customer is not linked
   */
  async begin(
    customerId: string,
    { name: source, company: present }: Pick<BillingSource, 'name' | 'company'>,
  ): Promise<SyncRun | undefined> {
    const id = randomUUID();
    const [former] = await this.dataSource.query<{ ahead: boolean }[]>(WAS_AHEAD, [customerId, source]);
    const [rows] = await this.dataSource.query<[BegunRow[], number]>(
      `update invoice_sync set run_id = $3, started_at = app.now(),
         checkpoint = case when $4 then '{}' else checkpoint end,
         stored = case when checkpoint ? 'run' and not $4 then stored else 0 end,
         skipped = case when checkpoint ? 'run' and not $4 then skipped else 0 end
       where customer_id = $1 and source = $2 returning checkpoint, started_at, failing_since`,
      [customerId, source, id, former?.ahead ?? false],
    );
    if (!rows[0]) return undefined;
    const [account] = await this.dataSource.query<{ source_customer_id: string; company: string | null }[]>(
      'select source_customer_id, company from billing_account where customer_id = $1 and source = $2',
      [customerId, source],
    );
    if (!account) return undefined;
    const { checkpoint, started_at, failing_since } = rows[0];
    return {
      ...{ id, customerId, source, checkpoint },
      account: account.source_customer_id,
      company: account.company ?? present,
      startedAt: started_at.toISOString(),
      failingSince: failing_since?.toISOString(),
    };
  }

  /** Stores documents together with the run's progress. @throws RunSupersededError */
  async save(run: SyncRun, read: ReadDocuments, checkpoint: SyncCheckpoint): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await this.write(manager, run, 'checkpoint = $4', [checkpoint]);
      const { stored, skipped } = await this.documents.store(manager, run, read);
      await this.write(manager, run, 'stored = stored + $4, skipped = skipped + $5', [stored, skipped]);
      await this.keepCompany(manager, run);
    });
    run.checkpoint = checkpoint;
  }

  /** The source has answered for the company: from now on the account is one of it. */
  private async keepCompany(manager: EntityManager, { customerId, source, company }: SyncRun): Promise<void> {
    if (company === undefined) return;
    const keep = 'update billing_account set company = $3 where customer_id = $1 and source = $2 and company is null';
    await manager.query(keep, [customerId, source, company]);
  }

  /**
   * Ends a complete run. The next one is due `everyMinutes` from now, or at once if it was requested meanwhile. @throws
   * RunSupersededError
   */
  async succeed(run: SyncRun, checkpoint: SyncCheckpoint, everyMinutes: number): Promise<void> {
    const [next] = await this.dataSource.query<{ due: string }[]>(IN_MINUTES, [everyMinutes]);
    await this.dataSource.transaction(async (manager) => {
      await this.write(
        manager,
        run,
        `checkpoint = $4, run_id = null, failures = 0, failing_since = null, last_error = null,
         due_at = case when due_at > started_at then due_at else $5 end,
         finished_at = app.now(), succeeded_at = app.now()`,
        [checkpoint, next?.due],
      );
      await this.documents.forgetNameless(manager, run, run.checkpoint.run?.startedAt ?? run.startedAt);
      await this.keepCompany(manager, run);
    });
  }

  /**
   * Ends a failed run; the next one continues from there. The pause doubles with each failure: up to a minute in the
   * first hour, then up to `longestMinutes`; longer if the source asked for it. Due at once if it was requested meanwhile. @throws
   * RunSupersededError
   */
  async fail(
    run: SyncRun,
    failure: { error: string; checkpoint: SyncCheckpoint; askedMs: number; longestMinutes: number },
  ): Promise<void> {
    const [next] = await this.dataSource.query<{ now: string; due: string }[]>(AFTER_FAILURE, [
      run.customerId,
      run.source,
      failure.longestMinutes,
      failure.askedMs,
    ]);
    if (!next) throw superseded(run);
    await this.dataSource.transaction(async (manager) => {
      await this.write(
        manager,
        run,
        `checkpoint = $4, run_id = null, failures = failures + 1, failing_since = coalesce(failing_since, $5),
         due_at = case when due_at > started_at and due_at <= app.now() then due_at else $6 end, finished_at = $5, last_error = $7`,
        [failure.checkpoint, next.now, next.due, failure.error],
      );
      // The operator hears of the first failure in a row.
      const [first] = await manager.query<{ record: string }[]>(FIRST_FAILURE, [run.customerId, run.source]);
      if (first) await manager.query(FAILED_EVENT, [run.customerId, run.source, first.record]);
    });
  }

  /** Ends a run before its end; another one continues at once. @throws RunSupersededError */
  async pause(run: SyncRun): Promise<void> {
    await this.write(this.dataSource.manager, run, 'run_id = null, due_at = app.now()', []);
  }

  private async write(manager: EntityManager, run: SyncRun, set: string, values: unknown[]): Promise<void> {
    const [, written] = await manager.query<[unknown[], number]>(
      `update invoice_sync set ${set} where customer_id = $1 and source = $2 and run_id = $3`,
      [run.customerId, run.source, run.id, ...values],
    );
    if (written === 0) throw superseded(run);
  }
}

function superseded({ customerId, source }: SyncRun): RunSupersededError {
  return new RunSupersededError(`Another run of ${customerId} with ${source} has begun`);
}
