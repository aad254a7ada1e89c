import type { Observation } from '../circuit/circuit';
import type { StallMeter } from '../circuit/stall-meter';
import type { WaitingCall, WaitingCalls } from '../circuit/waiting-calls';
import { UpstreamCallError, type UpstreamFailureReason } from '../upstream-call-error';
import type { UpstreamRequest } from '../upstream-options';
import type { Flow } from '../wire/exchange';

/** Failures to connect say something about the upstream whoever calls. */
const NETWORK_FAILURES: readonly UpstreamFailureReason[] = [
  'no_such_name',
  'refused',
  'unreachable',
  'tls',
  'timeout_connect',
];
/** These say nothing about it. */
const OWN_REFUSALS: readonly UpstreamFailureReason[] = ['cancelled', 'shutdown', 'busy', 'circuit_open'];
/** These may come of our own standing still: nobody looked at the clock or the connection. */
const TIME_LIMITS: readonly UpstreamFailureReason[] = [
  'timeout_connect',
  'timeout_first_byte',
  'timeout_idle',
  'timeout_total',
  'disconnected',
  'cut_off',
];
/** How much standing still makes such a failure our own: this, and this part of the call's time. */
const STALL = { ms: 200, part: 0.1 };

/** One call from its admission to its end: how far it has come, and what it tells of its upstream. */
export class CallInProgress {
  /** Whether anything of any attempt was written to a connection. */
  sent = false;
  attempts = 0;
  bytes = 0;
  /** Status of the latest reply. */
  status?: number;
  /** Why it is to end, if from our side. */
  ending?: 'cancelled' | 'shutdown';
  readonly startedAt = performance.now();
  private readonly controller = new AbortController();
  private readonly ended = Promise.withResolvers<void>();
  private readonly stalledBefore: number;
  /** The reply is held back by us: by its reader, or for want of memory. */
  private heldBack = false;
  private waiting?: WaitingCall;
  private slowTimer?: NodeJS.Timeout;

  constructor(
    private readonly request: UpstreamRequest,
    private readonly observation: Observation,
    private readonly surroundings: { calls: WaitingCalls; stalls: StallMeter; slowAfterMs: number },
  ) {
    this.stalledBefore = surroundings.stalls.stalledMs;
    if (request.signal?.aborted) this.cancel();
    else request.signal?.addEventListener('abort', this.cancel);
  }

  /** Aborts when the call is to end. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resolves when the call is over. */
  get finished(): Promise<void> {
    return this.ended.promise;
  }

  get durationMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Ends the call from our side. */
  end(why: 'cancelled' | 'shutdown'): void {
    this.ending ??= why;
    this.controller.abort();
  }

  /** An attempt begins to wait for a reply. */
  waits(): void {
    this.attempts++;
    this.status = undefined;
    this.stopWaiting(false);
    this.waiting = this.surroundings.calls.begin(this.request.onBehalfOf);
    this.watchSlowness();
  }

  /** The head of a reply is there. */
  answered(status: number): void {
    this.status = status;
    this.stopWaiting(true);
  }

  /** The flow of a reply, remembering whether we hold it back. */
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

  /** The call is over. @param error what it ended with; nothing if its reply could be used. */
  over(error?: unknown): void {
    this.ended.resolve();
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

  /** A status of 4xx never fails: it is the caller's doing. What cannot be used although it is 2xx does. */
  private isFailure(error: unknown, reason: UpstreamFailureReason | undefined): boolean {
    if (reason !== undefined && reason !== 'status') return true;
    if (this.status === undefined) return error !== undefined;
    return this.status >= 500 || (this.status < 300 && error !== undefined);
  }

  private readonly cancel = () => this.end('cancelled');

  /** Whether this process stood still for a part of the call that matters; a busy one does for a moment in every call. */
  private get stalled(): boolean {
    const stalledMs = this.surroundings.stalls.stalledMs - this.stalledBefore;
    return stalledMs > Math.max(STALL.ms, STALL.part * this.durationMs);
  }

  /** Tells when the call waits for too long; looks again later when that may be our own doing, or others are answered. */
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
