import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { isDatabaseUnavailable } from '@app/database';
import { BillingCalendar } from '../billing-calendar';
import { upstreamSettings } from '../upstream/upstream-settings';
import { customersOf, HOLD, RELEASE, SETTLE } from './hold-book.statements';
import type { CallEnd, HoldRequest, HoldResult, Release, Settlement } from './hold-book.types';
import { LedgerConnections } from './ledger-connections';
import { MicroBatcher } from './micro-batcher';

/** Every call goes to the Messages API; the name stands in the usage rows. */
const PROVIDER = 'anthropic';

const BATCH = { size: 64, concurrency: 2, failsAll: isDatabaseUnavailable };

/**
 * Two-phase charging: a hold before the upstream is called, then a settlement or a release. Each is durable when its
 * promise resolves. All money is computed by the database, under the lock of the customer's account.
 */
@Injectable()
export class HoldBook {
  private readonly holds: MicroBatcher<HoldRequest, HoldResult>;
  private readonly settlements: MicroBatcher<Settlement, CallEnd>;
  private readonly releases: MicroBatcher<Release, CallEnd>;

  constructor(
    private readonly ledger: LedgerConnections,
    private readonly calendar: BillingCalendar,
    private readonly config: AppConfig,
  ) {
    this.holds = new MicroBatcher<HoldRequest, HoldResult>({
      ...BATCH,
      compare: byCustomer,
      run: (batch) => this.holdAll(batch),
    });
    this.settlements = new MicroBatcher<Settlement, CallEnd>({
      ...BATCH,
      compare: byCustomer,
      run: (batch) => this.settleAll(batch),
    });
    this.releases = new MicroBatcher<Release, CallEnd>({
      ...BATCH,
      compare: byCustomer,
      run: (batch) => this.releaseAll(batch),
    });
  }

  /**
   * Sets credit aside for a call, if the customer may use AI and has the credit.
   * @throws DatabaseUnavailableError: the hold may exist all the same; nothing is charged, and the worker gives it up.
   */
  hold(request: HoldRequest): Promise<HoldResult> {
    return this.holds.do(request);
  }

  /**
   * Charges a call. Saying it again changes nothing.
   * @returns how the hold ended: `settled`, or `outcome_unknown` if it had been given up before; then nothing is charged.
   * @throws DatabaseUnavailableError: the call may be charged all the same; say it again to know.
   */
  settle(settlement: Settlement): Promise<CallEnd> {
    return this.settlements.do(settlement);
  }

  /** Lets a hold go, uncharged. Saying it again changes nothing. @returns how the hold ended. */
  release(release: Release): Promise<CallEnd> {
    return this.releases.do(release);
  }

  private async holdAll(batch: HoldRequest[]): Promise<HoldResult[]> {
    const { now, month } = this.calendar.present();
    const deadline = new Date(now.getTime() + this.config.AI_UPSTREAM_TIMEOUT_MS + this.config.AI_HOLD_MARGIN_MS);
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<HoldRow>(HOLD, [
      customers.ids,
      month,
      now,
      deadline,
      upstreamSettings(this.config).sharedKey !== undefined,
      customers.first,
      customers.last,
      batch.map(({ holdId }) => holdId),
      batch.map(({ inputTokens }) => inputTokens),
      batch.map(({ cache }) => cache),
      batch.map(({ maxTokens }) => maxTokens),
      batch.map(({ leastTokens }) => leastTokens),
      batch.map(({ mayShorten }) => mayShorten),
      batch.map(({ requestId }) => requestId),
      batch.map(({ tokenId }) => tokenId),
    ]);
    const results = batch.map((): HoldResult => ({ outcome: 'disabled' }));
    for (const row of rows) results[row.place - 1] = toHoldResult(row);
    return results;
  }

  private async settleAll(batch: Settlement[]): Promise<CallEnd[]> {
    const { now, month } = this.calendar.present();
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<EndRow>(SETTLE, [
      customers.ids,
      month,
      now,
      PROVIDER,
      customers.owner,
      batch.map(({ holdId }) => holdId),
      batch.map(({ usage }) => usage.input),
      batch.map(({ usage }) => usage.cacheWrite5m),
      batch.map(({ usage }) => usage.cacheWrite1h),
      batch.map(({ usage }) => usage.cacheRead),
      batch.map(({ usage }) => usage.output),
      batch.map(({ upstreamId }) => upstreamId),
    ]);
    return endsOf(batch, rows);
  }

  private async releaseAll(batch: Release[]): Promise<CallEnd[]> {
    const customers = customersOf(batch);
    const rows = await this.ledger.connections.single<EndRow>(RELEASE, [
      customers.ids,
      this.calendar.present().now,
      customers.owner,
      batch.map(({ holdId }) => holdId),
      batch.map(({ reason }) => reason),
    ]);
    return endsOf(batch, rows);
  }
}

interface HoldRow {
  place: number;
  outcome: HoldResult['outcome'];
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

interface EndRow {
  place: number;
  outcome: CallEnd;
}

function byCustomer(a: { customerId: string }, b: { customerId: string }): number {
  return a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId);
}

function endsOf(batch: readonly { holdId: string }[], rows: EndRow[]): CallEnd[] {
  const ends: CallEnd[] = [];
  for (const { place, outcome } of rows) ends[place - 1] = outcome;
  return batch.map(({ holdId }, index) => {
    const end = ends[index];
    if (!end) throw new Error(`The ledger knows no hold ${holdId}`);
    return end;
  });
}

function toHoldResult(row: HoldRow): HoldResult {
  const upstream = { model: row.model, keyCiphertext: row.key_ciphertext };
  switch (row.outcome) {
    case 'held':
      return { outcome: 'held', ...upstream, maxTokens: row.max_tokens };
    case 'too_large':
      return { outcome: 'too_large', ...upstream };
    default:
      return { outcome: row.outcome };
  }
}
