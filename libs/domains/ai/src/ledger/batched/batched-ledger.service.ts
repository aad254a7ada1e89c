import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { upstreamSettings } from '../../adapters/messages-api/upstream-settings';
import { CreditLedger } from '../credit-ledger.port';
import { AccountBatcher } from './account-batcher';
import {
  customersOf,
  RELEASE,
  releaseRequests,
  RESERVE,
  reservationRequests,
  SETTLE,
  settlements,
  UNLOCKED_ACCOUNTS,
} from './batched-ledger.statements';
import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from '../credit-ledger.types';
import { LedgerConnectionsService } from '../ledger-connections.service';
import { LockedAccounts } from './locked-accounts';
import { ProcessHeartbeatService } from '../../liveness/process-heartbeat.service';

/** The provider's name in the usage rows: every call goes to the Messages API. */
const PROVIDER = 'anthropic';

/**
 * The ledger of a single PostgreSQL: what many customers ask at once is one statement, because a statement's fixed cost is
 * several times that of the rows of one call.
 */
@Injectable()
export class BatchedLedgerService extends CreditLedger {
  private readonly reservations: AccountBatcher<ReservationRequest, ReservationResult>;
  private readonly settlements: AccountBatcher<Settlement, SettlementResult>;
  private readonly releases: AccountBatcher<Release, Resolution | undefined>;

  constructor(
    private readonly ledger: LedgerConnectionsService,
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly config: AppConfig,
  ) {
    super();
    const locked = new LockedAccounts((ids) => this.unlocked(ids), config.DATABASE_STATEMENT_TIMEOUT_MS);
    this.reservations = new AccountBatcher((batch) => this.reserveAll(batch), locked);
    this.settlements = new AccountBatcher((batch) => this.settleAll(batch), locked);
    this.releases = new AccountBatcher((batch) => this.releaseAll(batch), locked);
  }

  override reserve(request: ReservationRequest): Promise<ReservationResult> {
    return this.reservations.do(request);
  }

  override settle(settlement: Settlement): Promise<SettlementResult> {
    return this.settlements.do(settlement);
  }

  override release(release: Release): Promise<Resolution | undefined> {
    return this.releases.do(release);
  }

  /**
   * When the caller of a statement that is sent now stops waiting: the database does not begin the statement after
   * that.
   */
  private notAfter(): Date {
    return new Date(this.heartbeat.databaseTime().getTime() + this.config.DATABASE_STATEMENT_TIMEOUT_MS);
  }

  private async reserveAll(batch: ReservationRequest[]): Promise<ReservationResult[]> {
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<ReservationRow>(RESERVE, [
      customers.ids,
      customers.first,
      customers.last,
      reservationRequests(batch),
      this.config.BILLING_TIMEZONE,
      `${this.config.AI_UPSTREAM_TIMEOUT_MS + this.config.AI_RESERVATION_MARGIN_MS} milliseconds`,
      this.notAfter(),
      upstreamSettings(this.config).sharedKey !== undefined,
      this.heartbeat.processId,
    ]);
    const results = batch.map((): ReservationResult => ({ outcome: 'disabled' }));
    for (const row of rows) results[row.place - 1] = toReservationResult(row);
    return results;
  }

  private async settleAll(batch: Settlement[]): Promise<SettlementResult[]> {
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<SettlementRow>(SETTLE, [
      customers.ids,
      settlements(batch, customers.owner),
      this.config.BILLING_TIMEZONE,
      this.notAfter(),
      PROVIDER,
    ]);
    const results: SettlementResult[] = [];
    for (const { place, ...result } of rows) results[place - 1] = result;
    return batch.map(({ reservationId }, index) => {
      const result = results[index];
      if (!result) throw new Error(`The ledger knows no reservation ${reservationId}`);
      return result;
    });
  }

  private async releaseAll(batch: Release[]): Promise<(Resolution | undefined)[]> {
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<ReleaseRow>(RELEASE, [
      customers.ids,
      releaseRequests(batch, customers.owner),
    ]);
    const results = batch.map((): Resolution | undefined => undefined);
    for (const { place, outcome } of rows) results[place - 1] = outcome;
    return results;
  }

  private async unlocked(customerIds: string[]): Promise<string[]> {
    const rows = await this.ledger.connections.single<{ customerId: string }>(UNLOCKED_ACCOUNTS, [customerIds]);
    return rows.map(({ customerId }) => customerId);
  }
}

interface ReservationRow {
  place: number;
  outcome: ReservationResult['outcome'];
  id: string;
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

type SettlementRow = SettlementResult & { place: number };

interface ReleaseRow {
  place: number;
  outcome: Resolution;
}

function toReservationResult(row: ReservationRow): ReservationResult {
  const upstream = { model: row.model, keyCiphertext: row.key_ciphertext };
  switch (row.outcome) {
    case 'reserved':
      return { outcome: 'reserved', reservationId: row.id, ...upstream, maxTokens: row.max_tokens };
    case 'too_large':
      return { outcome: 'too_large', ...upstream };
    default:
      return { outcome: row.outcome };
  }
}
