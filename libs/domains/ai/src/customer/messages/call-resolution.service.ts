import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { AppConfig } from '@platform/config';
import {
  CustomerDatabaseService,
  decoders,
  EntityWritesService,
  isTransientFailure,
  retryTransient,
} from '@platform/database';
import { IdempotencyStoreService } from '@platform/idempotency';
import { Metrics } from '@platform/metrics';
import {
  CreditLedger,
  type Release,
  reservationLifetimeMs,
  type Settlement,
  type SettlementResult,
} from '../../ledger/credit-ledger.port';
import { chargeNotStored, chargeUnknown, keyTakenMeanwhile } from './call-errors';

const RETRY_MS = 250;

/** Counters of charged calls. */
type Counters = ReturnType<typeof countersOf>;

/** Ends the reservation of every call. While the database is unavailable, settlements and releases are retried. */
@Injectable()
export class CallResolutionService implements OnModuleInit {
  private readonly logger = new Logger(CallResolutionService.name);
  private readonly stopping = new AbortController();
  private readonly background = new Set<Promise<void>>();
  private readonly counters?: Counters;
  private readonly resolveCall;

  // Tests run the module without metrics.
  constructor(
    private readonly ledger: CreditLedger,
    private readonly database: CustomerDatabaseService,
    private readonly keys: IdempotencyStoreService,
    private readonly config: AppConfig,
    writes: EntityWritesService,
    @Optional() metrics?: Metrics,
  ) {
    this.resolveCall = writes.call({
      name: 'ai.resolve-abandoned-call',
      calls: 'app.ai_resolve_abandoned_call',
      parameters: { reservation: 'uuid' },
      returns: { result: decoders.boolean },
    });
    this.counters = metrics && countersOf(metrics);
  }

  /** Lets a retry have its Idempotency-Key again when the process that made the call has died. */
  onModuleInit(): void {
    this.keys.endAbandonedBy((reservationId) => this.resolveAbandoned(reservationId));
  }

  /**
   * Charges a call, and tries for half of AI_RESERVATION_MARGIN_MS while the database is away. Then the ledger decides that it is
   * not charged, unless it was charged and only the confirmation was lost; that is tried for AI_RESERVATION_MARGIN_MS.
   * @throws ServiceError service_unavailable, or idempotency_key_in_progress if its reservation had ended and another request
   * has its Idempotency-Key since: it is not charged, and the operator sees it as a call of unknown outcome.
   */
  async settle(settlement: Settlement): Promise<SettlementResult> {
    const { reservationId, upstreamId } = settlement;
    let result: SettlementResult;
    try {
      result = await retryTransient(() => this.ledger.settle(settlement), {
        pauseMs: RETRY_MS,
        forMs: this.config.AI_RESERVATION_MARGIN_MS / 2,
        signal: this.stopping.signal,
      });
    } catch (error) {
      const call = { reservation_id: reservationId, upstream_request_id: upstreamId };
      this.logger.error({ msg: 'AI call could not be settled', ...call, err: error });
      // Its reply has been kept with the charge, or is not: no decision needs it.
      const inDoubt = { ...settlement, reply: null };
      if (!isTransientFailure(error)) {
        this.decideLater(inDoubt);
        throw error;
      }
      result = await this.decideInTime(inDoubt, error);
    }
    if (result.outcome === 'key_taken') throw keyTakenMeanwhile();
    if (result.outcome === 'not_charged') throw chargeNotStored(undefined);
    this.report(settlement, result);
    return result;
  }

  /** @returns the charge @throws ServiceError service_unavailable: it is not charged, or nobody knows yet */
  private async decideInTime(settlement: Settlement, cause: unknown): Promise<SettlementResult> {
    const charged = await retryTransient(() => this.decide(settlement), {
      pauseMs: RETRY_MS,
      forMs: this.config.AI_RESERVATION_MARGIN_MS,
      signal: this.stopping.signal,
    }).catch((error: unknown) => {
      this.decideLater(settlement);
      throw chargeUnknown(settlement.reservationId, error);
    });
    if (!charged) throw chargeNotStored(cause);
    return charged;
  }

  /**
   * Decides that a call is not charged, whose settlement may or may not be stored: the reply to its customer stays true.
   * @returns the charge, if it is stored
   */
  private async decide(settlement: Settlement): Promise<SettlementResult | undefined> {
    const { customerId, reservationId } = settlement;
    const reason = 'settlement could not be stored';
    const end = await this.ledger.release({ customerId, reservationId, outcome: 'not_charged', reason });
    return end === 'settled' || end === 'settled_late' ? this.ledger.settle(settlement) : undefined;
  }

  /** Releases the reservation of a failed call. While the database is unavailable, it retries in the background. */
  async release(release: Release): Promise<void> {
    try {
      await this.ledger.release(release);
    } catch (error) {
      this.logger.warn({ msg: 'AI reservation is released later', reservation_id: release.reservationId, err: error });
      this.releaseLater(release);
    }
  }

  /** Releases a reservation that may or may not have been stored, by the seed that it was asked for with. */
  releaseUncertain(customerId: string, seed: string): void {
    const release: Release = { customerId, seed, outcome: 'released', reason: 'reservation in doubt' };
    this.releaseLater(release, this.lastStatementMs);
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

  private releaseLater(release: Release, afterMs = RETRY_MS): void {
    this.retryLater(release, () => this.ledger.release(release), { afterMs });
  }

  private decideLater(settlement: Settlement): void {
    this.retryLater(settlement, () => this.decide(settlement), {
      then: (charge) => {
        const decision = { charged: charge !== undefined, reservation_id: settlement.reservationId };
        this.logger.warn({ msg: 'AI call in doubt is decided', ...decision });
        if (charge) this.report(settlement, charge);
      },
    });
  }

  private retryLater<T>(
    { reservationId }: Release | Settlement,
    work: () => Promise<T>,
    { afterMs = RETRY_MS, then }: { afterMs?: number; then?: (result: T) => void },
  ): void {
    const attempt = delay(afterMs, undefined, { signal: this.stopping.signal })
      .then(() =>
        retryTransient(work, {
          pauseMs: RETRY_MS,
          forMs: reservationLifetimeMs(this.config, true),
          signal: this.stopping.signal,
        }),
      )
      .then(then)
      .catch((error: unknown) => {
        if (this.stopping.signal.aborted) return;
        // The reservation ends at its deadline.
        this.logger.error({ msg: 'AI reservation not released', reservation_id: reservationId, err: error });
      })
      .finally(() => this.background.delete(attempt));
    this.background.add(attempt);
  }

  /** Resolves the customer's abandoned reservations, uncharged, if this is one of them. @returns whether it was */
  private async resolveAbandoned(reservationId: string): Promise<boolean> {
    const [[resolved]] = await this.database.write([this.resolveCall({ reservation: reservationId })]);
    return resolved?.result ?? false;
  }

  /**
   * Counts a charged call. One that is late or not fully covered is logged: the operator pays the provider for it, and no
   * customer is charged.
   */
  private report(
    { customerId, reservationId, usage, upstreamId }: Settlement,
    { charged, uncovered, late }: SettlementResult,
  ): void {
    const { counters } = this;
    if (counters) {
      counters.charged.inc(Number(charged));
      counters.tokens.inc({ kind: 'input' }, usage.input);
      counters.tokens.inc({ kind: 'output' }, usage.output);
      const written = usage.cacheWrite5m + usage.cacheWrite1h;
      if (written > 0) counters.tokens.inc({ kind: 'cache_write' }, written);
      if (usage.cacheRead > 0) counters.tokens.inc({ kind: 'cache_read' }, usage.cacheRead);
    }
    const nok = Number(uncovered);
    if (nok === 0 && !late) return;
    const cause = late ? 'reservation_given_up' : 'beyond_reservation';
    this.logger.error({
      msg: late
        ? 'AI call answered after its reservation had ended with an unknown outcome'
        : 'AI call cost more than was reserved for it',
      customer_id: customerId,
      reservation_id: reservationId,
      upstream_request_id: upstreamId,
      uncovered_nok: uncovered,
      usage,
    });
    counters?.uncoveredCalls.inc({ cause });
    counters?.uncovered.inc({ cause }, nok);
  }
}

function countersOf({ registry }: Metrics) {
  const registers = [registry];
  const counters = {
    charged: new Counter({ name: 'ai_charged_nok_total', help: 'NOK that AI calls were charged', registers }),
    tokens: new Counter({
      name: 'ai_tokens_total',
      help: 'Tokens of charged AI calls, as the provider counts them',
      labelNames: ['kind'],
      registers,
    }),
    uncoveredCalls: new Counter({
      name: 'ai_uncovered_calls_total',
      help: 'AI calls charged less than they cost, or charged late: the provider reported more than was reserved, or the reservation had ended with an unknown outcome',
      labelNames: ['cause'],
      registers,
    }),
    uncovered: new Counter({
      name: 'ai_uncovered_nok_total',
      help: 'Cost of AI calls beyond the charges of customers, in NOK',
      labelNames: ['cause'],
      registers,
    }),
  };
  // A counter that appears with its first increase shows no increase to an alert.
  for (const kind of ['input', 'cache_write', 'cache_read', 'output']) counters.tokens.inc({ kind }, 0);
  for (const cause of ['reservation_given_up', 'beyond_reservation']) {
    counters.uncoveredCalls.inc({ cause }, 0);
    counters.uncovered.inc({ cause }, 0);
  }
  return counters;
}
