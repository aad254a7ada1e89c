import { Injectable, type OnModuleInit } from '@nestjs/common';
import { prepared } from '@platform/database';
import { tracedStatement } from '@platform/tracing';
import { BatchedLedgerService } from './batched/batched-ledger.service';
import { CreditLedger } from './credit-ledger.port';
import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from './credit-ledger.types';
import { LedgerConnectionsService } from './ledger-connections.service';
import { PerCustomerLedgerService } from './per-customer/per-customer-ledger.service';

const IS_CLUSTER = prepared(
  'ai.is-cluster',
  `select exists (select from pg_extension where extname = 'citus') as "isCluster"`,
);

/**
 * The ledger that suits the database: per customer on a Citus cluster, batched over many customers on a single PostgreSQL.
 * The database is asked once, at the start; if it is away then, before the first operation.
 */
@Injectable()
export class CreditLedgerService extends CreditLedger implements OnModuleInit {
  private suitable?: CreditLedger;

  constructor(
    private readonly connections: LedgerConnectionsService,
    private readonly batched: BatchedLedgerService,
    private readonly perCustomer: PerCustomerLedgerService,
  ) {
    super();
  }

  async onModuleInit(): Promise<void> {
    await this.choose().catch(() => undefined);
  }

  override reserve(request: ReservationRequest): Promise<ReservationResult> {
    return tracedStatement('ai.reserve', () =>
      this.suitable ? this.suitable.reserve(request) : this.choose().then((ledger) => ledger.reserve(request)),
    );
  }

  override settle(settlement: Settlement): Promise<SettlementResult> {
    return tracedStatement('ai.settle', () =>
      this.suitable ? this.suitable.settle(settlement) : this.choose().then((ledger) => ledger.settle(settlement)),
    );
  }

  override release(release: Release): Promise<Resolution | undefined> {
    return tracedStatement('ai.release', () =>
      this.suitable ? this.suitable.release(release) : this.choose().then((ledger) => ledger.release(release)),
    );
  }

  private async choose(): Promise<CreditLedger> {
    const [row] = await this.connections.single<{ isCluster: boolean }>(IS_CLUSTER, []);
    this.suitable = row?.isCluster ? this.perCustomer : this.batched;
    return this.suitable;
  }
}
