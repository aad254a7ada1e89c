import { Injectable } from '@nestjs/common';
import { isDataRefused } from '@platform/database';
import { AccountBatcher, type RunBatch } from '../batching/account-batcher';
import { CustomerBatchers } from '../batching/customer-batchers';
import { LockedAccounts } from '../batching/locked-accounts';
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
import { CustomerStatementsService } from './customer-statements.service';
import { UNLOCKED_ACCOUNT } from './per-customer-ledger.statements';

/**
 * One batch of a customer at a time: a second one would only wait for the account's lock. A failure is tried again call by
 * call only if a value was refused. After any other, a cluster may have committed on the node of the customer's rows, and a
 * second attempt would reserve twice.
 */
const BATCH = { size: 64, concurrency: 1, failsAll: (error: unknown) => !isDataRefused(error) };

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
    statements: CustomerStatementsService,
    settings: CallSettingsService,
  ) {
    super();
    const locked = new LockedAccounts({
      unlocked: (ids) => this.unlocked(ids),
      connections: LedgerConnectionsService.patient,
      patienceMs: settings.patienceMs,
    });
    const batchers = <Item extends { customerId: string }, Result>(
      runFor: (customerId: string) => RunBatch<Item, Result>,
    ) => new CustomerBatchers((customerId) => new AccountBatcher<Item, Result>(runFor(customerId), locked, BATCH));
    this.reservations = batchers((customer) => (batch, wait) => statements.reserve(customer, batch, wait));
    this.settlements = batchers((customer) => (batch, wait) => statements.settle(customer, batch, wait));
    this.releases = batchers((customer) => (batch, wait) => statements.release(customer, batch, wait));
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

  private async unlocked(customerIds: string[]): Promise<string[]> {
    const found = customerIds.map((id) => this.ledger.single<{ customerId: string }>(UNLOCKED_ACCOUNT, [id]));
    return (await Promise.all(found)).flat().map(({ customerId }) => customerId);
  }
}
