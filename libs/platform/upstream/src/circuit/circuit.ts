import { circuitBreaker, type CircuitBreakerPolicy, CircuitState, handleWhen, type IBreaker } from 'cockatiel';
import type { BreakerOptions } from '../upstream-options';
import { FailureWindow } from './failure-window';

/** What a call tells of its upstream. The first thing told counts. */
export interface Observation {
  /** It works, be it that it refused. */
  succeeded(): void;
  /** It failed. @param caller whose call it was; nobody's, as with failures to connect, without */
  failed(caller?: string): void;
  /** Nothing can be said, as when the call was cancelled. */
  nothing(): void;
}

/** Makes the breaker count a failure; who failed is in the window. */
class Failed extends Error {}

/**
 * Stops calls to an upstream that is down, so that callers hear at once instead of waiting. What is watched is not the
 * call, which may go on long after it has shown that the upstream fails to answer, but what it tells.
 */
export class Circuit {
  private readonly window: FailureWindow;
  private readonly policy: CircuitBreakerPolicy;
  private openedAt = 0;
  private offeredAt = 0;

  constructor(private readonly options: BreakerOptions) {
    this.window = new FailureWindow(options);
    const breaker: IBreaker = {
      state: undefined,
      success: (state) => {
        if (state === CircuitState.HalfOpen) this.window.clear();
        else this.window.succeeded();
      },
      failure: (state) => state === CircuitState.HalfOpen || this.window.tripped,
    };
    this.policy = circuitBreaker(
      handleWhen((error) => error instanceof Failed),
      { halfOpenAfter: options.resetMs, breaker },
    );
    this.policy.onBreak(() => (this.openedAt = Date.now()));
  }

  /** Whether the upstream counts as down. */
  get open(): boolean {
    return this.policy.state !== CircuitState.Closed;
  }

  /** Tells of each opening and closing. */
  onChange(listener: (open: boolean) => void): void {
    this.policy.onBreak(() => listener(true));
    this.policy.onReset(() => listener(false));
  }

  /**
   * Whether a call would be let through, for those who prepare one at some cost. While the circuit is open, one of them
   * is told yes each time that a call may try.
   */
  offers(): boolean {
    if (!this.open) return true;
    if (!this.mayTry || Date.now() - this.offeredAt < this.options.resetMs) return false;
    this.offeredAt = Date.now();
    return true;
  }

  /** Lets a call through, to be told how it went; undefined while the upstream counts as down. */
  enter(): Observation | undefined {
    if (this.open && !this.mayTry) return undefined;
    const tries = this.open;
    const verdict = Promise.withResolvers<void>();
    let told = false;
    const first = (tell: () => void) => {
      if (!told) tell();
      told = true;
    };
    // Runs at once when the circuit is closed, or when this is the call that tries.
    this.policy.execute(() => verdict.promise).catch(() => undefined);
    return {
      succeeded: () => first(verdict.resolve),
      failed: (caller) =>
        first(() => {
          this.window.failed(caller);
          verdict.reject(new Failed());
        }),
      // Of a call that tries, nothing heard is no sign of life.
      nothing: () => first(() => verdict.reject(tries ? new Failed() : new Error('nothing'))),
    };
  }

  /** Whether a call may try although the circuit is open. One tries at a time. */
  private get mayTry(): boolean {
    return this.policy.state === CircuitState.Open && Date.now() - this.openedAt >= this.options.resetMs;
  }
}
