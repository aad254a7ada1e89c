import { Injectable, Optional } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Metrics } from '@platform/metrics';
import type { Settlement, SettlementResult } from '../../../ledger/credit-ledger.types';

/** Kinds of tokens, which have prices of their own. */
const KINDS = ['input', 'cache_write', 'cache_read', 'output'];

/** Counts what customers paid for AI calls, and the tokens that they used. */
@Injectable()
export class ChargeMetricsService {
  private readonly charged?: Counter;
  private readonly tokens?: Counter<'kind'>;

  // Tests run the module without metrics.
  constructor(@Optional() metrics?: Metrics) {
    if (!metrics) return;
    const registers = [metrics.registry];
    this.charged = new Counter({ name: 'ai_charged_nok_total', help: 'NOK that AI calls were charged', registers });
    this.tokens = new Counter({
      name: 'ai_tokens_total',
      help: 'Tokens of charged AI calls, as the provider counts them',
      labelNames: ['kind'],
      registers,
    });
    // A counter that appears with its first increase has no increase for whoever watches it.
    for (const kind of KINDS) this.tokens.inc({ kind }, 0);
  }

  report({ usage }: Settlement, { charged }: SettlementResult): void {
    this.charged?.inc(Number(charged));
    this.tokens?.inc({ kind: 'input' }, usage.input);
    this.tokens?.inc({ kind: 'output' }, usage.output);
    const written = usage.cacheWrite5m + usage.cacheWrite1h;
    if (written > 0) this.tokens?.inc({ kind: 'cache_write' }, written);
    if (usage.cacheRead > 0) this.tokens?.inc({ kind: 'cache_read' }, usage.cacheRead);
  }
}
