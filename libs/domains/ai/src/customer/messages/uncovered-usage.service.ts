import { Injectable, Logger, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '@platform/metrics';
import type { Settlement, SettlementResult } from '../../ledger/credit-ledger.types';

/** Reports usage that the operator pays the provider for and no customer is charged for. */
@Injectable()
export class UncoveredUsageService {
  private readonly logger = new Logger(UncoveredUsageService.name);
  private readonly calls?: Counter<'cause'>;
  private readonly amount?: Counter<'cause'>;

  // Tests run the module without metrics.
  constructor(@Optional() metrics?: Metrics) {
    if (!metrics) return;
    const registers = [metrics.registry];
    this.calls = new Counter({
      name: 'ai_uncovered_calls_total',
      help: 'AI calls charged less than they cost, or charged late: the provider reported more than was reserved, or the reservation had ended with an unknown outcome',
      labelNames: ['cause'],
      registers,
    });
    this.amount = new Counter({
      name: 'ai_uncovered_nok_total',
      help: 'What AI calls cost beyond what customers were charged, in NOK',
      labelNames: ['cause'],
      registers,
    });
    // A counter that appears with its first increase has no increase for whoever watches it.
    for (const cause of ['reservation_given_up', 'beyond_reservation']) {
      this.calls.inc({ cause }, 0);
      this.amount.inc({ cause }, 0);
    }
  }

  /** Logs and counts a settlement that is late or not fully covered. */
  report({ customerId, reservationId, usage, upstreamId }: Settlement, { uncovered, late }: SettlementResult): void {
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
    this.calls?.inc({ cause });
    this.amount?.inc({ cause }, nok);
  }
}
