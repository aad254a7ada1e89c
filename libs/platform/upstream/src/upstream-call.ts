import type { Dispatcher } from 'undici';
import { traceHeaders } from '@platform/tracing';
import type { Observation } from './circuit';
import { AbortedError, exchange, type Flow, type Receiver, type Targets } from './exchange';
import { type BodyReader, type BodyStream, type ByteBudget, type ByteLease, ReplyBody } from './reply-body';
import type { UpstreamOptions, UpstreamRequest } from './upstream-options';
import { UpstreamCallError, type UpstreamFailureReason, UpstreamReply } from './upstream-reply';

/** The parts of a client that its calls use. */
export interface CallSurroundings {
  readonly options: UpstreamOptions;
  readonly dispatcher: Dispatcher;
  readonly targets: Targets;
  readonly waiting: WaitingCalls;
  readonly stalls: StallMeter;
  readonly budget: ByteBudget;
}

/** Why a call is ended from outside. */
type EndReason = 'cancelled' | 'shutdown' | 'timeout_total' | 'gone_silent';

/** One call from admission to its end or its deadline: its attempts, and its report about the upstream. */
export class UpstreamCall implements Receiver, BodyReader {
  /** Whether anything of any attempt was written to a connection. */
  sent = false;
  attempts = 0;
  bytes = 0;
  /** Status of the latest reply. */
  status?: number | undefined;
  onInterrupt?: (() => void) | undefined;
  /** Why the call is being ended by us. */
  private ending?: EndReason;
  private readonly startedAt = performance.now();
  private readonly timeoutMs: number;
  private readonly deadline: NodeJS.Timeout;
  private readonly stalledBefore: number;
  private readonly lease: ByteLease;
  private ended?: PromiseWithResolvers<void>;
  private waiting: WaitingCall | undefined;
  private slowTimer?: NodeJS.Timeout;
  /** The present attempt: its reply's headers, flow and body. */
  private headers: Record<string, string> = {};
  private flow?: Flow;
  private body?: ReplyBody;
  /** When this attempt last heard of the upstream. */
  private heardAt?: number;
  /** Whether we are holding the reply back: for its reader, or because memory is short. */
  private heldBack = false;

  /** @param stream receives the body of a 2xx reply as it arrives; if undefined, bodies are read into memory */
  constructor(
    private readonly request: UpstreamRequest,
    private readonly observation: Observation,
    private readonly surroundings: CallSurroundings,
    private readonly stream: BodyStream | undefined,
  ) {
    this.timeoutMs = request.timeoutMs ?? surroundings.options.timeoutMs;
    this.deadline = setTimeout(() => this.end('timeout_total'), this.timeoutMs);
    this.stalledBefore = surroundings.stalls.begin();
    this.lease = surroundings.budget.open();
    if (stream) stream.onClosed = this.cancel;
    if (request.signal?.aborted) this.cancel();
    else request.signal?.addEventListener('abort', this.cancel);
  }

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

  get remainingMs(): number {
    return this.timeoutMs - this.durationMs;
  }

  /** Set while an attempt that was sent waits for its reply, or the rest of it. */
  get listeningSince(): number | undefined {
    return this.sent && !this.heldBack ? this.heardAt : undefined;
  }

  /** Whether the caller has received a part of the reply. */
  get bodyConsumed(): boolean {
    return this.stream?.begun === true;
  }

  /** Ends the call. */
  end(why: EndReason): void {
    if (this.interrupted) return;
    this.ending = why;
    this.onInterrupt?.();
  }

  /**
   * Waits for an event; given up at once when the call is ended. @param begin begins to wait, and returns a function that
   * stops it @throws AbortedError
   */
  until(begin: (happened: () => void) => () => void): Promise<void> {
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

  /**
   * One attempt: the request, and the redirects that are followed. @returns the reply; with an empty body if that went
   * into the stream @throws UpstreamCallError, AbortedError
   */
  async attempt(): Promise<UpstreamReply> {
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

  head(status: number, headers: Record<string, string>, flow: Flow): void {
    this.status = status;
    this.headers = headers;
    this.flow = flow;
    this.heardAt = performance.now();
    this.endWaiting(true);
    this.body?.begin(status, headers);
  }

  data(chunk: Buffer): boolean {
    this.heardAt = performance.now();
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
    return error instanceof AbortedError && this.ending ? this.failure(this.ending) : error;
  }

  /** Marks that the call has ended. @param error its error; undefined if its reply could be used */
  over(error?: unknown): void {
    clearTimeout(this.deadline);
    this.ended?.resolve();
    this.endWaiting(false);
    this.lease.close();
    this.request.signal?.removeEventListener('abort', this.cancel);
    this.observation.ended({
      reason: error instanceof UpstreamCallError ? error.reason : undefined,
      isError: error !== undefined,
      status: this.status,
      heldBack: this.heldBack,
      stalled: this.stalled,
      caller: this.request.onBehalfOf,
    });
    this.surroundings.stalls.end();
  }

  private readonly cancel = () => this.end('cancelled');

  private get stalled(): boolean {
    return this.surroundings.stalls.explains(this.stalledBefore, this.durationMs);
  }

  /** Marks that an attempt waits for a reply. */
  private beginWaiting(): void {
    this.attempts++;
    this.heardAt = performance.now();
    this.status = undefined;
    this.endWaiting(false);
    this.waiting = this.surroundings.waiting.begin(this.request.onBehalfOf);
    this.watchSlowness();
  }

  private endWaiting(answered: boolean): void {
    clearTimeout(this.slowTimer);
    if (this.waiting) this.surroundings.waiting.end(this.waiting, answered);
    this.waiting = undefined;
  }

  /**
   * Reports when the call has waited for too long; checks again later if we may have stalled, or if other calls are
   * answered.
   */
  private watchSlowness(): void {
    this.slowTimer = setTimeout(() => {
      if (this.surroundings.waiting.silent && !this.stalled) this.observation.failed(this.request.onBehalfOf);
      else this.watchSlowness();
    }, this.surroundings.options.slowAfterMs);
  }
}

/** While an upstream answers no call, this fraction of its concurrency may wait for it, and one caller half of that. */
const PART_WHILE_SILENT = 8;

/** A call that waits for the head of its reply. */
export interface WaitingCall {
  readonly caller: string | undefined;
  readonly since: number;
}

/** The calls that wait for a reply to begin; bounds them while the upstream is silent. */
export class WaitingCalls {
  private readonly calls = new Set<WaitingCall>();
  private answeredAt = -Infinity;
  private readonly mostWhileSilent: number;

  constructor(private readonly options: { concurrency: number; slowAfterMs: number }) {
    this.mostWhileSilent = Math.max(2, Math.ceil(options.concurrency / PART_WHILE_SILENT));
  }

  get count(): number {
    return this.calls.size;
  }

  /** Whether one more call may wait. */
  admits(caller?: string): boolean {
    if (!this.silent) return true;
    if (this.calls.size >= this.mostWhileSilent) return false;
    if (caller === undefined) return true;
    let own = 0;
    for (const call of this.calls) if (call.caller === caller) own++;
    return own < this.mostWhileSilent / 2;
  }

  /** Whether no call was answered for as long as the oldest call should have taken. */
  get silent(): boolean {
    const oldest = this.calls.values().next().value;
    if (oldest === undefined) return false;
    const since = performance.now() - this.options.slowAfterMs;
    return oldest.since <= since && this.answeredAt <= since;
  }

  begin(caller: string | undefined): WaitingCall {
    const call = { caller, since: performance.now() };
    this.calls.add(call);
    return call;
  }

  /** @param answered whether a reply began */
  end(call: WaitingCall, answered: boolean): void {
    if (this.calls.delete(call) && answered) this.answeredAt = performance.now();
  }
}

const TICK_MS = 50;
/** Lateness that does not count: timers are never exact. */
const GRACE_MS = 50;
/** The stall that makes a failure our own: at least this long, and at least this part of the call's time. */
const STALL = { ms: 200, part: 0.1 };

/**
 * Measures stalls of this process: garbage collection, a long computation, a suspended machine. Time-outs during a
 * stall say nothing about an upstream.
 */
export class StallMeter {
  private calls = 0;
  private total = 0;
  private tickAt = 0;
  private timer?: NodeJS.Timeout;

  /** Measures while a call is in progress. @returns the time of stalls at its beginning */
  begin(): number {
    if (this.calls++ === 0) {
      this.tickAt = performance.now();
      this.timer = setInterval(() => this.tick(), TICK_MS).unref();
    }
    return this.stalledMs;
  }

  /** Ends the measurement for a call. */
  end(): void {
    if (--this.calls === 0) clearInterval(this.timer);
  }

  /**
   * Whether this process stalled for a significant part of a call; a busy process stalls briefly in every call.
   * @param before the time of stalls when it began @param durationMs of the call
   */
  explains(before: number, durationMs: number): boolean {
    return this.stalledMs - before > Math.max(STALL.ms, STALL.part * durationMs);
  }

  /** Milliseconds of stalls, of those that were measured. */
  private get stalledMs(): number {
    return this.total + this.lateness();
  }

  private tick(): void {
    this.total += this.lateness();
    this.tickAt = performance.now();
  }

  private lateness(): number {
    const late = performance.now() - this.tickAt - TICK_MS;
    return late > GRACE_MS ? late : 0;
  }
}
