import { circuitBreaker, type CircuitBreakerPolicy, CircuitState, handleWhen, type IBreaker } from 'cockatiel';
import type { BreakerOptions } from '../upstream-options';
import { FailureWindow } from './failure-window';

/** Reports the result of a call to the circuit. Only the first report counts. */
export interface Observation {
  /** The upstream works, even if it refused. */
  succeeded(): void;
  /**
   * The upstream failed. @param caller whose call it was; undefined for failures that concern all callers, such as
   * failures to connect
   */
  failed(caller?: string): void;
  /** The call tells nothing about the upstream, for example because it was cancelled. */
  nothing(): void;
}

/** Makes the breaker count a failure; the window has the callers. */
class Failed extends Error {}

/**
 * Stops calls to an upstream that is down, so that callers get an error at once instead of waiting. It observes the
 * reports of calls, not their promises: a call may last long after it has shown that the upstream does not answer.
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
      // Of successes the policy hears the trial call's only.
      success: () => this.window.clear(),
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

  /** Adds a listener for opening and closing. */
  onChange(listener: (open: boolean) => void): void {
    this.policy.onBreak(() => listener(true));
    this.policy.onReset(() => listener(false));
  }

  /**
   * Whether a call would be admitted, for callers whose preparation is expensive. While the circuit is open, it returns
   * true once each time that a trial call is due.
   */
  offers(): boolean {
    if (!this.open) return true;
    if (!this.mayTry || Date.now() - this.offeredAt < this.options.resetMs) return false;
    this.offeredAt = Date.now();
    return true;
  }

  /** Admits a call and returns its observation; undefined while the upstream counts as down. */
  enter(): Observation | undefined {
    if (!this.open) return this.observed();
    if (!this.mayTry) return undefined;
    const verdict = Promise.withResolvers<void>();
    let told = false;
    const first = (tell: () => void) => {
      if (!told) tell();
      told = true;
    };
    // Runs at once, because the trial is due.
    this.policy.execute(() => verdict.promise).catch(() => undefined);
    return {
      succeeded: () => first(verdict.resolve),
      failed: (caller) =>
        first(() => {
          this.window.failed(caller);
          verdict.reject(new Failed());
        }),
      // A trial call without a result does not close the circuit.
      nothing: () => first(() => verdict.reject(new Failed())),
    };
  }

  /** A call while the circuit is closed. The policy hears of its failure, and of nothing else that it would not act on. */
  private observed(): Observation {
    let told = false;
    return {
      succeeded: () => {
        if (!told) this.window.succeeded();
        told = true;
      },
      failed: (caller) => {
        if (told) return;
        told = true;
        this.window.failed(caller);
        if (!this.open) this.policy.execute(() => Promise.reject(new Failed())).catch(() => undefined);
      },
      nothing: () => (told = true),
    };
  }

  /** Whether a trial call is due although the circuit is open. One at a time. */
  private get mayTry(): boolean {
    return this.policy.state === CircuitState.Open && Date.now() - this.openedAt >= this.options.resetMs;
  }
}
