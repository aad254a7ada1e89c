import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { isDatabaseUnavailable } from '@app/database';
import { BillingCalendar } from '../billing-calendar';
import type { HoldState } from '../entities/ai-hold.entity';
import { upstreamSettings } from '../upstream/upstream-settings';
import { HOLD, RELEASE, SETTLE, slicesOf } from './hold-book.statements';
import type { HoldRequest, HoldResult, Release, Settlement } from './hold-book.types';
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
  private readonly settlements: MicroBatcher<Settlement, HoldState>;
  private readonly releases: MicroBatcher<Release, HoldState>;

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
    this.settlements = new MicroBatcher<Settlement, HoldState>({
      ...BATCH,
      compare: byCustomer,
      run: (batch) => this.settleAll(batch),
    });
    this.releases = new MicroBatcher<Release, HoldState>({
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
  settle(settlement: Settlement): Promise<HoldState> {
    return this.settlements.do(settlement);
  }

  /** Lets a hold go, uncharged. Saying it again changes nothing. @returns how the hold ended. */
  release(release: Release): Promise<HoldState> {
    return this.releases.do(release);
  }

  private async holdAll(batch: HoldRequest[]): Promise<HoldResult[]> {
    const { now, month } = this.calendar.present();
    const deadline = new Date(now.getTime() + this.config.AI_UPSTREAM_TIMEOUT_MS + this.config.AI_HOLD_MARGIN_MS);
    const rows = await this.ledger.connections.single<HoldRow>(HOLD, [
      ...slicesOf(batch),
      month,
      now,
      deadline,
      upstreamSettings(this.config).sharedKey !== undefined,
      batch.map(({ holdId }) => holdId),
      batch.map(({ inputTokens }) => inputTokens),
      batch.map(({ cache }) => cache),
      batch.map(({ maxTokens }) => maxTokens),
      batch.map(({ leastTokens }) => leastTokens),
      batch.map(({ mayShorten }) => mayShorten),
      batch.map(({ requestId }) => requestId),
      batch.map(({ tokenId }) => tokenId),
    ]);
    return inOrder(batch, rows).map(toHoldResult);
  }

  private async settleAll(batch: Settlement[]): Promise<HoldState[]> {
    const { now, month } = this.calendar.present();
    const rows = await this.ledger.connections.single<StateRow>(SETTLE, [
      ...slicesOf(batch),
      month,
      now,
      PROVIDER,
      batch.map(({ holdId }) => holdId),
      batch.map(() => randomUUID()),
      batch.map(({ usage }) => usage.input),
      batch.map(({ usage }) => usage.cacheWrite5m),
      batch.map(({ usage }) => usage.cacheWrite1h),
      batch.map(({ usage }) => usage.cacheRead),
      batch.map(({ usage }) => usage.output),
      batch.map(({ upstreamId }) => upstreamId),
    ]);
    return inOrder(batch, rows).map(({ outcome }) => outcome);
  }

  private async releaseAll(batch: Release[]): Promise<HoldState[]> {
    const rows = await this.ledger.connections.single<StateRow>(RELEASE, [
      ...slicesOf(batch),
      this.calendar.present().now,
      batch.map(({ holdId }) => holdId),
      batch.map(({ reason }) => reason),
    ]);
    return inOrder(batch, rows).map(({ outcome }) => outcome);
  }
}

interface HoldRow {
  id: string;
  outcome: HoldResult['outcome'];
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

interface StateRow {
  id: string;
  outcome: HoldState;
}

function byCustomer(a: { customerId: string }, b: { customerId: string }): number {
  return a.customerId < b.customerId ? -1 : Number(a.customerId > b.customerId);
}

function inOrder<Row extends { id: string }>(batch: readonly { holdId: string }[], rows: Row[]): Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return batch.map(({ holdId }) => {
    const row = byId.get(holdId);
    if (!row) throw new Error(`The ledger knows no hold ${holdId}`);
    return row;
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
