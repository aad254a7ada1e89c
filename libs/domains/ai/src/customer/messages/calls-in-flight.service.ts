import { Injectable } from '@nestjs/common';

/**
 * The calls under way, those included whose client hung up: they are charged all the same, so the process must not end
 * before them.
 */
@Injectable()
export class CallsInFlightService {
  private readonly calls = new Set<Promise<unknown>>();
  private readonly upstream = new Set<AbortController>();

  /** How many there are. */
  get count(): number {
    return this.calls.size;
  }

  /** Keeps a call in mind until it is done. */
  track<T>(call: Promise<T>): Promise<T> {
    const forget = () => {
      this.calls.delete(kept);
    };
    const kept: Promise<void> = call.then(forget, forget);
    this.calls.add(kept);
    return call;
  }

  /** Gives `work` a signal that aborts when the process can't wait any longer. */
  async endable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.upstream.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.upstream.delete(controller);
    }
  }

  /** Waits for all; what is at the upstream after `graceMs` is given up, uncharged, and answered so. */
  async drain(graceMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const controller of this.upstream) controller.abort();
    }, graceMs);
    while (this.calls.size > 0) await Promise.all(this.calls);
    clearTimeout(timer);
  }
}
