import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { upstreamSettings } from '../adapters/messages-api/upstream-settings';
import { AccountBatcher } from './batching/account-batcher';
import {
  customersOf,
  RELEASE,
  releaseRequests,
  RESERVE,
  reservationRequests,
  SETTLE,
  settlements,
  UNLOCKED_ACCOUNTS,
} from './credit-ledger.statements';
import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from './credit-ledger.types';
import { LedgerConnectionsService } from './ledger-connections.service';
import { LockedAccounts } from './batching/locked-accounts';
import { ProcessHeartbeatService } from '../liveness/process-heartbeat.service';

/** The provider's name in the usage rows: every call goes to the Messages API. */
const PROVIDER = 'anthropic';

/**
 * Two-phase charging: credit is reserved before the upstream is called, then the reservation is settled or released. Each
 * is durable when its promise resolves. All money and all dates are computed by the database, under the lock of the
 * customer's account (`ledger/sql`).
 */
@Injectable()
export class CreditLedgerService {
  private readonly reservations: AccountBatcher<ReservationRequest, ReservationResult>;
  private readonly settlements: AccountBatcher<Settlement, SettlementResult>;
  private readonly releases: AccountBatcher<Release, Resolution | undefined>;

  constructor(
    private readonly ledger: LedgerConnectionsService,
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly config: AppConfig,
  ) {
    const locked = new LockedAccounts((ids) => this.unlocked(ids), config.DATABASE_STATEMENT_TIMEOUT_MS);
    this.reservations = new AccountBatcher((batch) => this.reserveAll(batch), locked);
    this.settlements = new AccountBatcher((batch) => this.settleAll(batch), locked);
    this.releases = new AccountBatcher((batch) => this.releaseAll(batch), locked);
  }

  /**
   * Reserves credit for a call, if the customer may use AI and has the credit.
   * @throws DatabaseUnavailableError: the reservation may exist all the same; release it
   */
  reserve(request: ReservationRequest): Promise<ReservationResult> {
    return this.reservations.do(request);
  }

  /**
   * Charges a call, never more than was reserved. Idempotent. A reservation with an unknown outcome is charged as far
   * as the free credit covers it.
   * @throws DatabaseUnavailableError: the call may be charged all the same; settle it again to find out
   */
  settle(settlement: Settlement): Promise<SettlementResult> {
    return this.settlements.do(settlement);
  }

  /**
   * Ends a reservation without charging it. Idempotent.
   * @returns how the reservation ended; undefined if there is none with that id
   * @throws DatabaseUnavailableError: it may have ended all the same; release it again to find out
   */
  release(release: Release): Promise<Resolution | undefined> {
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
    for (const { place, uncovered, late } of rows) results[place - 1] = { uncovered, late };
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
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

interface SettlementRow {
  place: number;
  uncovered: string;
  late: boolean;
}

interface ReleaseRow {
  place: number;
  outcome: Resolution;
}

function toReservationResult(row: ReservationRow): ReservationResult {
  const upstream = { model: row.model, keyCiphertext: row.key_ciphertext };
  switch (row.outcome) {
    case 'reserved':
      return { outcome: 'reserved', ...upstream, maxTokens: row.max_tokens };
    case 'too_large':
      return { outcome: 'too_large', ...upstream };
    default:
      return { outcome: row.outcome };
  }
}
