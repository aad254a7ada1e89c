import { Injectable } from '@nestjs/common';

/**
 * The calls in progress, including those whose client disconnected: they are charged all the same, so the process must
 * not end before them.
 */
@Injectable()
export class CallsInFlightService {
  private readonly calls = new Set<Promise<unknown>>();
  private readonly upstream = new Set<AbortController>();

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

  /** Runs `work` with a signal that aborts when the process cannot wait any longer. */
  async withShutdownSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.upstream.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.upstream.delete(controller);
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
