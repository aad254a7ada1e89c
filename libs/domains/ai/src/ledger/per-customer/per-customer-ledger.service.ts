import { Injectable } from '@nestjs/common';
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
import { CustomerBatchers } from './customer-batchers';
import { RELEASE_FOR, RESERVE_FOR, SETTLE_FOR, UNLOCKED_ACCOUNT } from './per-customer-ledger.statements';

/**
 * The ledger of a cluster: every statement is about one customer, runs on the node that has the customer's rows, and commits
 * by itself. It is also the plain reference that the batched ledger is compared with.
 */
@Injectable()
export class PerCustomerLedgerService extends CreditLedger {
  private readonly reservations: CustomerBatchers<ReservationRequest, ReservationResult>;
  private readonly settlements: CustomerBatchers<Settlement, SettlementResult>;
  private readonly releases: CustomerBatchers<Release, Resolution | undefined>;

  constructor(
    private readonly ledger: LedgerConnectionsService,
    private readonly settings: CallSettingsService,
  ) {
    super();
    const locked = new LockedAccounts((ids) => this.unlocked(ids), settings.patienceMs);
    this.reservations = new CustomerBatchers((customer, batch) => this.reserveFor(customer, batch), locked);
    this.settlements = new CustomerBatchers((customer, batch) => this.settleFor(customer, batch), locked);
    this.releases = new CustomerBatchers((customer, batch) => this.releaseFor(customer, batch), locked);
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

  private async reserveFor(customerId: string, batch: ReservationRequest[]): Promise<ReservationResult[]> {
    const { timeZone, lifetime, sharedKey, processId } = this.settings;
    const calls = reservationRequests(batch);
    const values = [customerId, calls, timeZone, lifetime, this.settings.notAfter(), sharedKey, processId];
    return reservationResults(batch, await this.ledger.connections.single<ReservationRow>(RESERVE_FOR, values));
  }

  private async settleFor(customerId: string, batch: Settlement[]): Promise<SettlementResult[]> {
    const { timeZone, provider } = this.settings;
    const values = [customerId, settlements(batch), timeZone, this.settings.notAfter(), provider];
    return settlementResults(batch, await this.ledger.connections.single<SettlementRow>(SETTLE_FOR, values));
  }

  private async releaseFor(customerId: string, batch: Release[]): Promise<(Resolution | undefined)[]> {
    const values = [customerId, releaseRequests(batch)];
    return releaseResults(batch, await this.ledger.connections.single<ReleaseRow>(RELEASE_FOR, values));
  }

  private async unlocked(customerIds: string[]): Promise<string[]> {
    const found = customerIds.map((id) =>
      this.ledger.connections.single<{ customerId: string }>(UNLOCKED_ACCOUNT, [id]),
    );
    return (await Promise.all(found)).flat().map(({ customerId }) => customerId);
  }
}
