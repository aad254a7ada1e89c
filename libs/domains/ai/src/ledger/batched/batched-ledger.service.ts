import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '@platform/database';
import { AccountBatcher, type LockWait } from '../batching/account-batcher';
import { customersOf } from '../batching/customers-of';
import { LockedAccounts } from '../batching/locked-accounts';
import { releaseRequests, reservationRequests, settlements } from '../calls/call-arrays';
import {
  type ReleaseRow,
  releaseResults,
  reservationResults,
  type ReservationRow,
  settlementResults,
  type SettlementRow,
} from '../calls/call-results';
import { CallSettingsService } from '../calls/call-settings.service';
import { CreditLedger } from '../credit-ledger.port';
import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from '../credit-ledger.types';
import { LedgerConnectionsService } from '../ledger-connections.service';
import { CustomerStatementsService } from '../per-customer/customer-statements.service';
import { RELEASE, RESERVE, SETTLE, UNLOCKED_ACCOUNTS } from './batched-ledger.statements';

const BATCH = { size: 64, concurrency: 2, failsAll: isDatabaseUnavailable };

/**
 * The ledger of a single PostgreSQL: what many customers ask at once is one statement, because a statement's fixed cost is
 * several times that of the rows of one call. A call that comes alone is a statement about its customer: that one takes a
 * fifth less than a batch of one.
 */
@Injectable()
export class BatchedLedgerService extends CreditLedger {
  private readonly reservations: AccountBatcher<ReservationRequest, ReservationResult>;
  private readonly settlements: AccountBatcher<Settlement, SettlementResult>;
  private readonly releases: AccountBatcher<Release, Resolution | undefined>;

  constructor(
    private readonly ledger: LedgerConnectionsService,
    private readonly one: CustomerStatementsService,
    private readonly settings: CallSettingsService,
  ) {
    super();
    const locked = new LockedAccounts({
      unlocked: (ids) => this.unlocked(ids),
      connections: LedgerConnectionsService.patient,
      patienceMs: settings.patienceMs,
    });
    this.reservations = new AccountBatcher((batch, wait) => this.reserveAll(batch, wait), locked, BATCH);
    this.settlements = new AccountBatcher((batch, wait) => this.settleAll(batch, wait), locked, BATCH);
    this.releases = new AccountBatcher((batch, wait) => this.releaseAll(batch, wait), locked, BATCH);
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

  private async reserveAll(batch: ReservationRequest[], wait: LockWait): Promise<ReservationResult[]> {
    const [call] = batch;
    if (call && batch.length === 1) return this.one.reserve(call.customerId, batch, wait);
    const { ids, first, last } = customersOf(batch);
    const { timeZone, lifetime, sharedKey, processId } = this.settings;
    const calls = reservationRequests(batch);
    const values = [ids, first, last, calls, timeZone, lifetime, this.settings.notAfter(), sharedKey, processId];
    return reservationResults(batch, await this.ledger.single<ReservationRow>(RESERVE, values, wait));
  }

  private async settleAll(batch: Settlement[], wait: LockWait): Promise<SettlementResult[]> {
    const [call] = batch;
    if (call && batch.length === 1) return this.one.settle(call.customerId, batch, wait);
    const { ids, owner } = customersOf(batch);
    const { timeZone, provider } = this.settings;
    const values = [ids, settlements(batch, owner), timeZone, this.settings.notAfter(), provider];
    return settlementResults(batch, await this.ledger.single<SettlementRow>(SETTLE, values, wait));
  }

  private async releaseAll(batch: Release[], wait: LockWait): Promise<(Resolution | undefined)[]> {
    const [call] = batch;
    if (call && batch.length === 1) return this.one.release(call.customerId, batch, wait);
    const { ids, owner } = customersOf(batch);
    const values = [ids, releaseRequests(batch, owner)];
    return releaseResults(batch, await this.ledger.single<ReleaseRow>(RELEASE, values, wait));
  }

  private async unlocked(customerIds: string[]): Promise<string[]> {
    const rows = await this.ledger.single<{ customerId: string }>(UNLOCKED_ACCOUNTS, [customerIds]);
    return rows.map(({ customerId }) => customerId);
  }
}
