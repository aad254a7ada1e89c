import { Logger } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Metrics } from '@platform/metrics';

/** Result of a call. Contains nothing of the request or the reply. */
export interface CallRecord {
  upstream: string;
  operation: string;
  /** The reply's status, or the reason for the failure. */
  outcome: string;
  /** The outcome in the metric, where others choose it: a receiver could make a series of each status. */
  counted?: string;
  /** The network's or protocol's code of a failure. */
  code?: string;
  attempts: number;
  /** Bytes of the reply's body. */
  bytes: number;
  durationMs: number;
  ok: boolean;
}

/** Values of an upstream's gauges. */
export interface ClientState {
  readonly name: string;
  readonly isDown: boolean;
  readonly waiting: number;
}

/** Logs and measures each call. */
export class CallLog {
  private readonly logger = new Logger(CallLog.name);
  private readonly durations?: Histogram<'upstream' | 'operation' | 'outcome'>;
  private readonly received?: Counter<'upstream'>;

  /** @param metrics undefined in processes that serve none */
  constructor(metrics: Metrics | undefined, state: { clients(): Iterable<ClientState>; bytesHeld(): number }) {
    if (!metrics) return;
    const registers = [metrics.registry];
    this.durations = new Histogram({
      name: 'upstream_call_duration_seconds',
      help: 'Time that calls to an upstream took, by the status of the reply or why there is none',
      labelNames: ['upstream', 'operation', 'outcome'],
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    });
    this.received = new Counter({
      name: 'upstream_reply_bytes_total',
      help: 'Bytes of replies received from an upstream',
      labelNames: ['upstream'],
      registers,
    });
    const perClient = (name: string, help: string, read: (client: ClientState) => number) =>
      new Gauge({
        name,
        help,
        labelNames: ['upstream'],
        registers,
        collect() {
          for (const client of state.clients()) this.set({ upstream: client.name }, read(client));
        },
      });
    perClient('upstream_circuit_open', 'An upstream counts as down', ({ isDown }) => Number(isDown));
    perClient('upstream_calls_waiting', 'Calls that wait for a reply to begin', ({ waiting }) => waiting);
    new Gauge({
      name: 'upstream_reply_bytes_held',
      help: 'Bytes of replies in memory that are being read',
      registers,
      collect() {
        this.set(state.bytesHeld());
      },
    });
  }

  /** Shows an upstream from now on, though nothing was received yet. */
  show(upstream: string): void {
    this.received?.inc({ upstream }, 0);
  }

  write({ upstream, operation, outcome, counted = outcome, code, attempts, bytes, durationMs, ok }: CallRecord): void {
    this.durations?.observe({ upstream, operation, outcome: counted }, durationMs / 1000);
    this.received?.inc({ upstream }, bytes);
    // Calls that were not made are only counted: in an outage there are many, and each caller's request is logged.
    if (attempts === 0) return;
    const line = { upstream, operation, outcome, code, attempts, bytes, duration_ms: Math.round(durationMs) };
    this.logger[ok ? 'log' : 'warn']({ msg: 'upstream call', ...line });
  }

  /** Logs that an upstream went down or recovered. */
  writeChange(upstream: string, open: boolean): void {
    if (open) this.logger.error({ msg: 'upstream counts as down: it is left alone for a while', upstream });
    else this.logger.warn({ msg: 'upstream is back', upstream });
  }
}
