import { Injectable, Optional } from '@nestjs/common';
import { Metrics } from '@platform/metrics';

/**
 * The calls in progress, including those whose client disconnected: they are charged all the same, so the process must
 * not end before them.
 */
@Injectable()
export class CallsInFlightService {
  private readonly calls = new Set<Promise<unknown>>();
  private readonly upstream = new Set<AbortController>();
  private draining = 0;

  // Tests run the module without metrics.
  constructor(@Optional() metrics?: Metrics) {
    metrics?.reportNumber('ai_calls_in_flight', 'AI calls in progress, with and without a client', () => this.count);
    metrics?.reportNumber(
      'ai_streams_draining',
      'AI streams that are read to their end without their client, and charged',
      () => this.draining,
    );
  }

  get count(): number {
    return this.calls.size;
  }

  /** Tracks a call until it ends. */
  track<T>(call: Promise<T>): Promise<T> {
    const forget = () => {
      this.calls.delete(kept);
    };
    const kept: Promise<void> = call.then(forget, forget);
    this.calls.add(kept);
    return call;
  }

  /** Counts a call as one that goes on without its client, until it ends. */
  drains(call: Promise<void>): void {
    this.draining++;
    void call.finally(() => this.draining--);
  }

  /** A signal that aborts when the process cannot wait for a call any longer; to be released when the call ends. */
  shutdownSignal(): { signal: AbortSignal; release: () => void } {
    const controller = new AbortController();
    this.upstream.add(controller);
    return { signal: controller.signal, release: () => this.upstream.delete(controller) };
  }

  /** Runs `work` with such a signal. */
  async withShutdownSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { signal, release } = this.shutdownSignal();
    try {
      return await work(signal);
    } finally {
      release();
    }
  }

  /** Waits for all calls. After `graceMs`, aborts the rest: they are not charged, and answered with an error. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const controller of this.upstream) controller.abort();
    }, graceMs);
    while (this.calls.size > 0) await Promise.all(this.calls);
    clearTimeout(timer);
  }
}
