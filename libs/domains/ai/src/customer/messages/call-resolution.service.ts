import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { isTransientFailure, retryTransient } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { CreditLedger } from '../../ledger/credit-ledger.port';
import type { Release, Settlement, SettlementResult } from '../../ledger/credit-ledger.types';
import { ChargeMetricsService } from './metrics/charge-metrics.service';
import { UncoveredUsageService } from './uncovered-usage.service';

const RETRY_MS = 250;

/** Ends the reservation of every call. While the database is unavailable, settlements and releases are retried. */
@Injectable()
export class CallResolutionService {
  private readonly logger = new Logger(CallResolutionService.name);
  private readonly stopping = new AbortController();
  private readonly background = new Set<Promise<void>>();

  constructor(
    private readonly ledger: CreditLedger,
    private readonly uncovered: UncoveredUsageService,
    private readonly charges: ChargeMetricsService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Charges a call, and tries for half of AI_RESERVATION_MARGIN_MS while the database is away.
   * @throws ServiceError service_unavailable, or idempotency_key_in_progress if its reservation had ended and another request
   * has its Idempotency-Key since: it is not charged, and the operator sees it as a call of unknown outcome.
   */
  async settle(settlement: Settlement): Promise<SettlementResult> {
    const { customerId, reservationId, upstreamId } = settlement;
    let result: SettlementResult;
    try {
      result = await this.withRetries(() => this.ledger.settle(settlement), this.config.AI_RESERVATION_MARGIN_MS / 2);
    } catch (error) {
      const call = { reservation_id: reservationId, upstream_request_id: upstreamId };
      this.logger.error({ msg: 'AI call could not be settled', ...call, err: error });
      const reason = 'settlement could not be stored';
      this.releaseInBackground({ customerId, reservationId, outcome: 'outcome_unknown', reason }, this.lastStatementMs);
      if (!isTransientFailure(error)) throw error;
      throw new ServiceError(
        'service_unavailable',
        'The answer came, but could not be charged. You were not charged; try again later',
        { cause: error },
      );
    }
    if (result.outcome === 'key_taken') throw keyTaken();
    this.uncovered.report(settlement, result);
    this.charges.report(settlement, result);
    return result;
  }

  /** Releases the reservation of a failed call. While the database is unavailable, it retries in the background. */
  async release(release: Release): Promise<void> {
    try {
      await this.ledger.release(release);
    } catch (error) {
      this.logger.warn({ msg: 'AI reservation is released later', reservation_id: release.reservationId, err: error });
      this.releaseInBackground(release);
    }
  }

  /** Releases a reservation that may or may not have been stored, by the seed that it was asked for with. */
  releaseUncertain(customerId: string, seed: string): void {
    const release: Release = { customerId, seed, outcome: 'released', reason: 'reservation in doubt' };
    this.releaseInBackground(release, this.lastStatementMs);
  }

  /** Stops retrying because the process ends. The remaining reservations are resolved as those of a dead process. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.background);
  }

  /** How long a statement may still run that began before its caller stopped waiting. */
  private get lastStatementMs(): number {
    return this.config.DATABASE_STATEMENT_TIMEOUT_MS;
  }

  private releaseInBackground(release: Release, afterMs = RETRY_MS): void {
    const lifetime = this.config.AI_UPSTREAM_TIMEOUT_MS + this.config.AI_RESERVATION_MARGIN_MS;
    const attempt = delay(afterMs, undefined, { signal: this.stopping.signal })
      .then(() => this.withRetries(() => this.ledger.release(release), lifetime))
      .then((resolution) => {
        if (release.outcome === 'outcome_unknown' && resolution === 'settled') {
          const msg = 'AI call was charged though its caller was told that it was not: refund it with ai credit';
          this.logger.error({ msg, customer_id: release.customerId, reservation_id: release.reservationId });
        }
      })
      .catch((error: unknown) => {
        if (this.stopping.signal.aborted) return;
        // The reservation ends at its deadline.
        this.logger.error({ msg: 'AI reservation not released', reservation_id: release.reservationId, err: error });
      })
      .finally(() => this.background.delete(attempt));
    this.background.add(attempt);
  }

  private withRetries<T>(work: () => Promise<T>, forMs: number): Promise<T> {
    return retryTransient(work, { pauseMs: RETRY_MS, forMs, signal: this.stopping.signal });
  }
}

function keyTaken(): ServiceError {
  return new ServiceError(
    'idempotency_key_in_progress',
    'The answer came so late that another request with this Idempotency-Key is made instead. This one was not charged',
    { retryAfterSeconds: 1 },
  );
}
