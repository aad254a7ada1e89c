import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import {
  isDatabaseUnavailable,
  isDataRefused,
  PIPELINE_SETTINGS,
  type PipelineSettings,
  prepared,
} from '@platform/database';
import { tracedStatement } from '@platform/tracing';
import { ProcessHeartbeatService } from '../liveness/process-heartbeat.service';
import { AccountBatcher, LockedAccounts, type RunBatch } from './account-batcher';
import {
  CreditLedger,
  type Release,
  type ReservationRequest,
  type ReservationResult,
  type Resolution,
  type Settlement,
  type SettlementResult,
} from './credit-ledger.port';
import { LedgerConnections, type LedgerEngine, LedgerStatements, UnknownReservationError } from './ledger-statements';
import { type Batcher, CustomerBatchers } from './micro-batcher';

const IS_CLUSTER = prepared(
  'ai.is-cluster',
  `select exists (select from pg_extension where extname = 'citus') as "isCluster"`,
);

/** One server: a statement's fixed cost is several times that of the rows of one call, so many customers share one. */
const OVER_MANY_CUSTOMERS = { size: 64, concurrency: 2, failsAll: isDatabaseUnavailable };

/**
 * A cluster: every statement is about one customer, runs on the node that has the customer's rows, and commits by itself. One
 * batch of a customer at a time: a second one would only wait for the account's lock. A failure is tried again call by
 * call only if a value was refused, or one of the reservations is not there: then each call that is settled is told so. After any
 * other, the node may have committed, and a second attempt would reserve twice.
 */
const PER_CUSTOMER = {
  size: 64,
  concurrency: 1,
  failsAll: (error: unknown) => !isDataRefused(error) && !(error instanceof UnknownReservationError),
};

interface Batchers {
  reservations: Batcher<ReservationRequest, ReservationResult>;
  settlements: Batcher<Settlement, SettlementResult>;
  releases: Batcher<Release, Resolution | undefined>;
}

/**
 * The ledger, batched in the way that suits the database: over many customers on one PostgreSQL, per customer on a Citus cluster.
 * The database is asked once, at the start; if it is away then, before the first operation.
 */
@Injectable()
export class CreditLedgerService extends CreditLedger implements OnModuleInit {
  private batchers?: Batchers;
  private readonly connections: LedgerConnections;

  constructor(
    @Inject(PIPELINE_SETTINGS) settings: PipelineSettings,
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly config: AppConfig,
  ) {
    super();
    this.connections = new LedgerConnections(settings, config);
  }

  async onModuleInit(): Promise<void> {
    await this.chosen().catch(() => undefined);
  }

  override reserve(request: ReservationRequest): Promise<ReservationResult> {
    return tracedStatement('ai.reserve', () =>
      this.batchers
        ? this.batchers.reservations.execute(request)
        : this.chosen().then(({ reservations }) => reservations.execute(request)),
    );
  }

  override settle(settlement: Settlement): Promise<SettlementResult> {
    return tracedStatement('ai.settle', () =>
      this.batchers
        ? this.batchers.settlements.execute(settlement)
        : this.chosen().then(({ settlements }) => settlements.execute(settlement)),
    );
  }

  override release(release: Release): Promise<Resolution | undefined> {
    return tracedStatement('ai.release', () =>
      this.batchers
        ? this.batchers.releases.execute(release)
        : this.chosen().then(({ releases }) => releases.execute(release)),
    );
  }

  override close(): Promise<void> {
    return this.connections.close();
  }

  /** Works as on this kind of database from now on. One server can run either: so specs try both. */
  use(engine: LedgerEngine): Batchers {
    const statements = new LedgerStatements(engine, this.connections, this.heartbeat, this.config);
    const locked = new LockedAccounts({
      unlocked: (ids) => statements.unlocked(ids),
      connections: LedgerConnections.patient,
      patienceMs: this.config.DATABASE_STATEMENT_TIMEOUT_MS,
    });
    const batcher = <Item extends { customerId: string }, Result>(
      run: RunBatch<Item, Result>,
      locksMore?: (item: Item) => boolean,
    ): Batcher<Item, Result> =>
      engine === 'cluster'
        ? new CustomerBatchers(() => new AccountBatcher(run, locked, { ...PER_CUSTOMER, locksMore }))
        : new AccountBatcher(run, locked, { ...OVER_MANY_CUSTOMERS, locksMore });
    return (this.batchers = {
      // A key's row may be locked by the deletion of old ones, or by another request with this key.
      reservations: batcher(
        (batch: ReservationRequest[], wait) => statements.reserve(batch, wait),
        ({ key }) => key !== undefined && key !== null,
      ),
      settlements: batcher((batch: Settlement[], wait) => statements.settle(batch, wait)),
      releases: batcher((batch: Release[], wait) => statements.release(batch, wait)),
    });
  }

  private async chosen(): Promise<Batchers> {
    const [row] = await this.connections.single<{ isCluster: boolean }>(IS_CLUSTER, []);
    return this.batchers ?? this.use(row?.isCluster ? 'cluster' : 'one server');
  }
}
