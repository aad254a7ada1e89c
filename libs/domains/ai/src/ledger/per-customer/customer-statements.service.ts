import { Injectable } from '@nestjs/common';
import type { LockWait } from '../batching/account-batcher';
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
import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from '../credit-ledger.types';
import { LedgerConnectionsService } from '../ledger-connections.service';
import { RELEASE_FOR, RESERVE_FOR, SETTLE_FOR } from './per-customer-ledger.statements';

/** The statements about the calls of one customer, all or nothing each, with the results in the order of the calls. */
@Injectable()
export class CustomerStatementsService {
  constructor(
    private readonly ledger: LedgerConnectionsService,
    private readonly settings: CallSettingsService,
  ) {}

  async reserve(customerId: string, batch: ReservationRequest[], wait: LockWait): Promise<ReservationResult[]> {
    const { timeZone, lifetime, sharedKey, processId } = this.settings;
    const calls = reservationRequests(batch);
    const values = [customerId, calls, timeZone, lifetime, this.settings.notAfter(), sharedKey, processId];
    return reservationResults(batch, await this.ledger.single<ReservationRow>(RESERVE_FOR, values, wait));
  }

  async settle(customerId: string, batch: Settlement[], wait: LockWait): Promise<SettlementResult[]> {
    const { timeZone, provider } = this.settings;
    const values = [customerId, settlements(batch), timeZone, this.settings.notAfter(), provider];
    return settlementResults(batch, await this.ledger.single<SettlementRow>(SETTLE_FOR, values, wait));
  }

  async release(customerId: string, batch: Release[], wait: LockWait): Promise<(Resolution | undefined)[]> {
    const values = [customerId, releaseRequests(batch)];
    return releaseResults(batch, await this.ledger.single<ReleaseRow>(RELEASE_FOR, values, wait));
  }
}
