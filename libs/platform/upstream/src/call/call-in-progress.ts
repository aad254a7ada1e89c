import type { Observation } from '../circuit/circuit';
import type { StallMeter } from '../circuit/stall-meter';
import type { WaitingCall, WaitingCalls } from '../circuit/waiting-calls';
import { UpstreamCallError, type UpstreamFailureReason } from '../upstream-call-error';
import type { UpstreamRequest } from '../upstream-options';
import { AbortedError, type Flow, type Interrupt } from '../wire/exchange';

/** Failures to connect count against the upstream for every caller. */
const NETWORK_FAILURES: readonly UpstreamFailureReason[] = [
  'no_such_name',
  'refused',
  'unreachable',
  'tls',
  'timeout_connect',
];
/** These do not count against the upstream. */
const OWN_REFUSALS: readonly UpstreamFailureReason[] = ['cancelled', 'shutdown', 'busy', 'circuit_open'];
/** These may be caused by a stall of this process, which then did not check the clock or the connection. */
const TIME_LIMITS: readonly UpstreamFailureReason[] = [
  'timeout_connect',
  'timeout_first_byte',
  'timeout_idle',
  'timeout_total',
  'disconnected',
  'cut_off',
];
/** The stall that makes such a failure our own: at least this long, and at least this part of the call's time. */
const STALL = { ms: 200, part: 0.1 };

/** One call from admission to its end or its deadline: its state, and what it reports about its upstream. */
export class CallInProgress implements Interrupt {
  /** Whether anything of any attempt was written to a connection. */
  sent = false;
  attempts = 0;
  bytes = 0;
  /** Status of the latest reply. */
  status?: number;
  /** Why the call is being ended by us. */
  ending?: 'cancelled' | 'shutdown' | 'timeout_total';
  onInterrupt?: () => void;
  readonly startedAt = performance.now();
  private giveUp?: (error: AbortedError) => void;
  private ended?: PromiseWithResolvers<void>;
  private readonly deadline: NodeJS.Timeout;
  private readonly stalledBefore: number;
  /** Whether we are holding the reply back: for its reader, or because memory is short. */
  private heldBack = false;
  private waiting?: WaitingCall;
  private slowTimer?: NodeJS.Timeout;

  constructor(
    private readonly request: UpstreamRequest,
    private readonly observation: Observation,
    private readonly surroundings: { calls: WaitingCalls; stalls: StallMeter; slowAfterMs: number; timeoutMs: number },
  ) {
    this.deadline = setTimeout(() => this.end('timeout_total'), surroundings.timeoutMs);
    this.stalledBefore = surroundings.stalls.stalledMs;
    if (request.signal?.aborted) this.cancel();
    else request.signal?.addEventListener('abort', this.cancel);
  }

  /** Whether the call is being ended by us. */
  get interrupted(): boolean {
    return this.ending !== undefined;
  }

  /** Resolves when the call has ended. */
  get finished(): Promise<void> {
    this.ended ??= Promise.withResolvers();
    return this.ended.promise;
  }

  get durationMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Ends the call. */
  end(why: 'cancelled' | 'shutdown' | 'timeout_total'): void {
    if (this.interrupted) return;
    this.ending = why;
    this.onInterrupt?.();
    this.giveUp?.(new AbortedError());
  }

  /** Does the call's work. What waits, for its turn or to be repeated, is given up at once when the call is ended. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.giveUp = reject;
      if (this.interrupted) reject(new AbortedError());
      else work().then(resolve, reject);
    });
  }

  /** Marks that an attempt waits for a reply. */
  waits(): void {
    this.attempts++;
    this.status = undefined;
    this.stopWaiting(false);
    this.waiting = this.surroundings.calls.begin(this.request.onBehalfOf);
    this.watchSlowness();
  }

  /** Marks that the head of a reply was received. */
  answered(status: number): void {
    this.status = status;
    this.stopWaiting(true);
  }

  /** Wraps the flow of a reply to note when we hold it back. */
  observed(flow: Flow): Flow {
    return {
      pause: () => {
        this.heldBack = true;
        flow.pause();
      },
      resume: () => {
        this.heldBack = false;
        flow.resume();
      },
    };
  }

  /** Marks that the call has ended. @param error its error; undefined if its reply could be used */
  over(error?: unknown): void {
    clearTimeout(this.deadline);
    this.ended?.resolve();
    this.stopWaiting(false);
    this.request.signal?.removeEventListener('abort', this.cancel);
    const reason = error instanceof UpstreamCallError ? error.reason : undefined;
    if (!this.isFailure(error, reason)) this.observation.succeeded();
    else if (
      this.heldBack ||
      (this.stalled && reason && TIME_LIMITS.includes(reason)) ||
      (reason && OWN_REFUSALS.includes(reason))
    )
      this.observation.nothing();
    else this.observation.failed(reason && NETWORK_FAILURES.includes(reason) ? undefined : this.request.onBehalfOf);
  }

  /**
   * A status of 4xx is the caller's fault and never counts as a failure of the upstream. An unusable 2xx reply does.
   */
  private isFailure(error: unknown, reason: UpstreamFailureReason | undefined): boolean {
    if (reason !== undefined && reason !== 'status') return true;
    if (this.status === undefined) return error !== undefined;
    return this.status >= 500 || (this.status < 300 && error !== undefined);
  }

  private readonly cancel = () => this.end('cancelled');

  /** Whether this process stalled for a significant part of the call; a busy process stalls briefly in every call. */
  private get stalled(): boolean {
    const stalledMs = this.surroundings.stalls.stalledMs - this.stalledBefore;
    return stalledMs > Math.max(STALL.ms, STALL.part * this.durationMs);
  }

  /**
   * Reports when the call has waited for too long; checks again later if we may have stalled, or if other calls are
   * answered.
   */
  private watchSlowness(): void {
    this.slowTimer = setTimeout(() => {
      if (this.surroundings.calls.silent && !this.stalled) this.observation.failed(this.request.onBehalfOf);
      else this.watchSlowness();
    }, this.surroundings.slowAfterMs);
  }

  private stopWaiting(answered: boolean): void {
    clearTimeout(this.slowTimer);
    if (this.waiting) this.surroundings.calls.end(this.waiting, answered);
    this.waiting = undefined;
  }
}
