import { type BeforeApplicationShutdown, Injectable, type OnApplicationShutdown, Optional } from '@nestjs/common';
import { LinkedList, type ListEntry } from '@platform/collections';
import { AppConfig } from '@platform/config';
import { Metrics } from '@platform/metrics';
import { CreditLedger } from '../../ledger/credit-ledger.port';
import { ProcessHeartbeatService } from '../../liveness/process-heartbeat.service';
import { CallResolutionService } from './call-resolution.service';

/** Time for calls that were aborted at shutdown to be released and answered. */
const LAST_MS = 1_000;

/**
 * The calls in progress, including those whose client disconnected: they are charged all the same, so the process does not
 * end before them, nor close the connections that they need.
 */
@Injectable()
export class CallsInFlightService implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly calls = new LinkedList<Promise<unknown>>();
  private readonly shutdowns = new LinkedList<AbortController>();
  private detached = 0;
  /** Whether the process waits for no call any more. */
  private over = false;

  // Tests run the module without metrics.
  constructor(
    private readonly resolution: CallResolutionService,
    private readonly heartbeat: ProcessHeartbeatService,
    private readonly ledger: CreditLedger,
    private readonly config: AppConfig,
    @Optional() metrics?: Metrics,
  ) {
    metrics?.reportNumber('ai_calls_in_flight', 'AI calls in progress, with and without a client', () => this.count);
    metrics?.reportNumber(
      'ai_streams_detached',
      'AI streams that are read to their end without their client, and charged',
      () => this.detached,
    );
  }

  get count(): number {
    return this.calls.size;
  }

  /**
   * Begins a call of the provider: the signal aborts when the process cannot wait for it any longer. A call that is not tracked is to
   * be removed when it ends.
   */
  begin(): ListEntry<AbortController> {
    const shutdown = this.shutdowns.add(new AbortController());
    // Who was just answered that the server stops may ask again on the same connection.
    if (this.over) shutdown.value.abort();
    return shutdown;
  }

  /** Tracks a call that began with {@link begin} until it ends: the process waits for it. */
  track<T>(call: Promise<T>, shutdown: ListEntry<AbortController>): Promise<T> {
    const forget = () => {
      tracked.remove();
      shutdown.remove();
    };
    const tracked = this.calls.add(call.then(forget, forget));
    return call;
  }

  /** Counts a stream as detached from its client, until it ends. */
  detach(call: Promise<void>): void {
    this.detached++;
    void call.finally(() => this.detached--);
  }

  /** Waits for all calls. After `graceMs`, aborts the rest: they are not charged, and answered with an error. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const shutdown of this.shutdowns) shutdown.abort();
    }, graceMs);
    while (this.calls.size > 0) await Promise.all(this.calls);
    clearTimeout(timer);
  }

  async beforeApplicationShutdown(): Promise<void> {
    const graceMs = Math.max(0, this.config.SHUTDOWN_GRACE_MS - LAST_MS);
    setTimeout(() => (this.over = true), graceMs).unref();
    await this.drain(graceMs);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.drain(0);
    await this.resolution.stop();
    await this.heartbeat.end();
    await this.ledger.close();
  }
}
