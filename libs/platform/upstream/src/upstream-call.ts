import type { Dispatcher } from 'undici';
import type { ListEntry } from '@platform/collections';
import type { FairSlots } from '@platform/fairness';
import { annotateSpan, traceHeaders } from '@platform/tracing';
import type { CallLog } from './call-log';
import type { Observation, StallMeter, WaitingCall, WaitingCalls } from './circuit';
import { AbortedError, exchange, type Flow, type Receiver, type Targets } from './exchange';
import { type BodyReader, type BodyStream, type ByteBudget, type ByteLease, ReplyBody } from './reply-body';
import type { RetryRule, UpstreamOptions, UpstreamRequest } from './upstream-options';
import { UpstreamCallError, type UpstreamFailureReason, UpstreamReply } from './upstream-reply';

/** The parts of a client that its calls use. */
export interface CallSurroundings {
  readonly options: UpstreamOptions;
  readonly dispatcher: Dispatcher;
  readonly targets: Targets;
  readonly slots: FairSlots;
  readonly waiting: WaitingCalls;
  readonly stalls: StallMeter;
  readonly budget: ByteBudget;
  readonly log: CallLog;
}

/** Why a call is ended from outside. */
type EndReason = 'cancelled' | 'shutdown' | 'timeout_total' | 'gone_silent';

/** Failures after which a retry is pointless, or no caller waits for it. */
const FINAL: readonly UpstreamFailureReason[] = ['redirect', 'too_large', 'cancelled', 'shutdown'];
/** In their order: each allows the retries of those before it, too. */
const RULES: readonly RetryRule[] = ['never', 'unsent', 'turned_away', 'idempotent'];

/** One call from admission to its end or its deadline: its turn, its attempts, and its report about the upstream. */
export class UpstreamCall implements Receiver, BodyReader {
  /** Whether anything was written to a connection, apart from attempts that the upstream has turned away. */
  sent = false;
  private attempts = 0;
  bytes = 0;
  /** Status of the latest reply. */
  private status?: number | undefined;
  interrupted = false;
  onInterrupt?: (() => void) | undefined;
  /** Why the call is being ended by us. */
  private ending?: EndReason | UpstreamCallError;
  private readonly startedAt = performance.now();
  private readonly timeoutMs: number;
  private readonly longestMs: number;
  private deadline: NodeJS.Timeout;
  private readonly stalledBefore: number;
  private readonly lease: ByteLease;
  private ended?: PromiseWithResolvers<void>;
  private waiting: ListEntry<WaitingCall> | undefined;
  private slowTimer?: NodeJS.Timeout;
  /** The present attempt: its reply's headers, flow and body. */
  private headers: Record<string, string> = {};
  private flow?: Flow | undefined;
  private body?: ReplyBody | undefined;
  /** When this attempt last heard of the upstream; undefined if nothing more is to come. */
  private heardAt?: number | undefined;
  /** Whether we are holding the reply back: for its reader, or because memory is short. */
  private heldBack = false;

  /** @param stream receives the body of a 2xx reply as it arrives; if undefined, bodies are read into memory */
  constructor(
    private readonly request: UpstreamRequest,
    private readonly observation: Observation,
    private readonly surroundings: CallSurroundings,
    private stream: BodyStream | undefined,
  ) {
    this.timeoutMs = request.timeoutMs ?? surroundings.options.timeoutMs;
    this.longestMs = request.longestMs ?? this.timeoutMs;
    this.deadline = setTimeout(this.checkDeadline, this.timeoutMs);
    this.stalledBefore = surroundings.stalls.begin();
    this.lease = surroundings.budget.open();
    if (stream) stream.onClosed = (fault) => this.end(fault ?? 'cancelled');
    if (request.signal?.aborted) this.cancel();
    else request.signal?.addEventListener('abort', this.cancel);
  }

  /** Resolves when the call has ended. */
  get finished(): Promise<void> {
    this.ended ??= Promise.withResolvers();
    return this.ended.promise;
  }

  private get slowAfterMs(): number {
    return this.request.slowAfterMs ?? this.surroundings.options.slowAfterMs;
  }

  private get durationMs(): number {
    return performance.now() - this.startedAt;
  }

  /** Set while an attempt that was sent waits for its reply, or the rest of it. */
  get listeningSince(): number | undefined {
    return this.sent && !this.heldBack ? this.heardAt : undefined;
  }

  /** Ends the call. */
  end(why: EndReason | UpstreamCallError): void {
    if (this.interrupted) return;
    this.interrupted = true;
    this.ending = why;
    this.onInterrupt?.();
  }

  /**
   * Makes the call in its turn. @returns the reply of the last attempt; with an empty body if that went into the stream
   * @throws UpstreamCallError, AbortedError
   */
  async run(): Promise<UpstreamReply> {
    const { slots } = this.surroundings;
    const { onBehalfOf } = this.request;
    if (!slots.take(onBehalfOf)) {
      const refusal = slots.refusal(onBehalfOf);
      if (refusal) throw this.failure(refusal);
      await this.until((free) => slots.queue(onBehalfOf, free));
    }
    try {
      for (let retry = 1; ; retry++) {
        const sentBefore = this.sent;
        let outcome: UpstreamReply | UpstreamCallError;
        try {
          outcome = await this.attempt();
          if (outcome.ok) return this.complete(outcome);
        } catch (error) {
          if (!(error instanceof UpstreamCallError)) throw error;
          outcome = error;
        }
        const pauseMs = this.pauseBefore(retry, outcome);
        if (pauseMs !== undefined) {
          if (leastRule(outcome) === 'turned_away') this.sent = sentBefore;
          await this.until((ended) => timer(pauseMs, ended));
        } else if (outcome instanceof UpstreamReply) return outcome;
        else throw outcome;
      }
    } finally {
      slots.release(onBehalfOf);
    }
  }

  /** Nothing more is to come: the reader of a stream has time. */
  private complete(reply: UpstreamReply): UpstreamReply {
    clearTimeout(this.deadline);
    this.heldBack = false;
    this.heardAt = undefined;
    return reply;
  }

  /** One attempt: the request, and the redirects that are followed. @throws UpstreamCallError, AbortedError */
  private async attempt(): Promise<UpstreamReply> {
    // Its turn came too late.
    if (this.interrupted) throw new AbortedError();
    this.beginWaiting();
    const { options, dispatcher, targets } = this.surroundings;
    const { request } = this;
    let target = targets.resolve(request);
    for (let hop = 1; target; hop++) {
      this.body = new ReplyBody(request.maxReplyBytes ?? options.maxReplyBytes, this, this.lease, this.stream);
      const headers = { ...target.headers, ...traceHeaders() };
      await exchange(dispatcher, { ...target, headers }, request, this);
      const status = this.status ?? 0;
      if (status < 300 || status >= 400)
        return new UpstreamReply(
          { upstream: options.name, operation: request.operation },
          status,
          this.headers,
          this.body.take(),
        );
      target = request.method === 'GET' ? targets.redirect(status, target, this.headers.location, hop) : undefined;
      if (!target) throw this.failure('redirect', String(status));
    }
    throw this.failure('redirect', 'INSECURE');
  }

  /**
   * Milliseconds until a retry, as long as the upstream asks for. Undefined if there is none: the outcome is final, the
   * request's rule forbids it, the caller has received a part of the reply, or the pause would end after the deadline.
   */
  private pauseBefore(retry: number, outcome: UpstreamReply | UpstreamCallError): number | undefined {
    const { retries, retryPauseMs } = this.surroundings.options;
    const { retry: rule = 'never' } = this.request;
    const least = leastRule(outcome);
    if (least === undefined || RULES.indexOf(rule) < RULES.indexOf(least) || this.stream?.begun) return undefined;
    if (retry > retries) return undefined;
    // Half of the pause is random, so that calls that failed together do not return together.
    const ownMs = retryPauseMs * 2 ** (retry - 1) * (0.5 + Math.random() / 2);
    const pauseMs = outcome.retryAfterMs ?? ownMs;
    return pauseMs < this.timeoutMs - this.durationMs ? pauseMs : undefined;
  }

  /**
   * Waits for an event; given up at once when the call is ended. @param begin begins to wait, and returns a function that
   * stops it @throws AbortedError
   */
  private until(begin: (happened: () => void) => () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.interrupted) return reject(new AbortedError());
      const stop = begin(() => {
        this.onInterrupt = undefined;
        resolve();
      });
      this.onInterrupt = () => {
        stop();
        reject(new AbortedError());
      };
    });
  }

  head(status: number, headers: Record<string, string>, flow: Flow): void {
    this.status = status;
    this.headers = headers;
    this.flow = flow;
    this.hear();
    this.endWaiting();
    this.observation.begun(status, this.stream !== undefined);
    this.body?.begin(status, headers);
  }

  data(chunk: Buffer): boolean {
    this.hear();
    return this.body?.add(chunk) ?? false;
  }

  failure(reason: UpstreamFailureReason, code?: string): UpstreamCallError {
    const { operation } = this.request;
    return new UpstreamCallError({
      upstream: this.surroundings.options.name,
      operation,
      reason,
      code,
      sent: this.sent,
    });
  }

  pause(): void {
    this.heldBack = true;
    this.flow?.pause();
  }

  resume(): void {
    this.heldBack = false;
    this.heardAt = performance.now();
    this.flow?.resume();
  }

  /** The error for the caller: says why a call that was ended from outside was. */
  explained(error: unknown): unknown {
    if (!(error instanceof AbortedError) || !this.ending) return error;
    return typeof this.ending === 'string' ? this.failure(this.ending) : this.ending;
  }

  /** Marks that the call has ended, reports it and logs it. @param error its error; undefined if its reply could be used */
  over(error?: unknown): void {
    clearTimeout(this.deadline);
    this.ended?.resolve();
    this.endWaiting();
    this.lease.clear();
    this.request.signal?.removeEventListener('abort', this.cancel);
    this.observation.ended({
      reason: error instanceof UpstreamCallError ? error.reason : undefined,
      isError: error !== undefined,
      status: this.status,
      heldBack: this.heldBack,
      stalled: error !== undefined && this.stalled,
      wasMade: this.attempts > 0,
      caller: this.request.onBehalfOf,
    });
    this.surroundings.stalls.end();
    const { attempts, bytes, durationMs, status } = this;
    const { reason, code } = error instanceof UpstreamCallError ? error : {};
    const outcome = reason && reason !== 'status' ? reason : String(status ?? 'error');
    const ok = outcome === String(status) && (status ?? 500) < 400;
    annotateSpan({
      'upstream.outcome': outcome,
      'upstream.attempts': attempts,
      'http.response.status_code': status,
    });
    const { options, log } = this.surroundings;
    const { operation } = this.request;
    log.write({ upstream: options.name, operation, outcome, code, attempts, bytes, durationMs, ok });
    // Small collections take an ended call for reachable (docs/decisions/measurements.md): it must not keep what its reply went into.
    this.flow = this.body = this.stream = undefined;
  }

  private readonly cancel = () => this.end('cancelled');

  /** Ends the call at its deadline, which moves on while a reply does that may go on for longer. */
  private readonly checkDeadline = () => {
    const quietMs = this.heldBack ? 0 : performance.now() - (this.heardAt ?? this.startedAt);
    const leftMs = Math.min(this.longestMs - this.durationMs, this.timeoutMs - quietMs);
    // A timer may fire a little early.
    if (leftMs < 1) this.end('timeout_total');
    else this.deadline = setTimeout(this.checkDeadline, leftMs);
  };

  private get stalled(): boolean {
    return this.surroundings.stalls.explains(this.stalledBefore, this.durationMs);
  }

  private hear(): void {
    this.heardAt = performance.now();
    this.surroundings.waiting.heard();
  }

  /** Marks that an attempt waits for a reply. */
  private beginWaiting(): void {
    this.attempts++;
    this.heardAt = performance.now();
    this.status = undefined;
    this.endWaiting();
    this.waiting = this.surroundings.waiting.begin(this.request.onBehalfOf, this.slowAfterMs);
    this.watchSlowness();
  }

  private endWaiting(): void {
    clearTimeout(this.slowTimer);
    if (this.waiting) this.surroundings.waiting.end(this.waiting);
    this.waiting = undefined;
  }

  /**
   * Reports when the call has waited for too long; checks again later if we may have stalled, or if the upstream is heard
   * in other calls.
   */
  private watchSlowness(): void {
    this.slowTimer = setTimeout(() => {
      if (this.surroundings.waiting.silent && !this.stalled) this.observation.slow(this.request.onBehalfOf);
      else this.watchSlowness();
    }, this.slowAfterMs);
  }
}

/** The rule that a request must at least have to be retried after an attempt; undefined if it never is. */
function leastRule(outcome: UpstreamReply | UpstreamCallError): RetryRule | undefined {
  if (outcome instanceof UpstreamCallError) {
    if (FINAL.includes(outcome.reason)) return undefined;
    return outcome.sent ? 'idempotent' : 'unsent';
  }
  const { status } = outcome;
  if (status === 429 || (status === 503 && outcome.retryAfterMs !== undefined)) return 'turned_away';
  return status >= 500 ? 'idempotent' : undefined;
}

function timer(ms: number, ended: () => void): () => void {
  const timeout = setTimeout(ended, ms);
  return () => clearTimeout(timeout);
}
