import { bulkhead, type BulkheadPolicy, isBulkheadRejectedError } from 'cockatiel';
import { Agent } from 'undici';
import { annotateSpan, traced } from '@platform/tracing';
import { attempt, type AttemptContext } from './call/attempt';
import { BodyStream, type UpstreamStream } from './call/body-stream';
import { CallInProgress } from './call/call-in-progress';
import type { CallLog, ClientState } from './call/call-log';
import type { EventLoopTurns } from './call/event-loop-turns';
import { retrying } from './call/retrying';
import { Circuit } from './circuit/circuit';
import type { StallMeter } from './circuit/stall-meter';
import { WaitingCalls } from './circuit/waiting-calls';
import { UpstreamCallError, type UpstreamFailureReason } from './upstream-call-error';
import type { UpstreamOptions, UpstreamRequest } from './upstream-options';
import type { ByteBudget } from './wire/byte-budget';
import { AbortedError } from './wire/exchange';
import { Targets } from './wire/target';
import type { UpstreamReply } from './wire/upstream-reply';

/** Parsing a larger reply takes milliseconds. */
const LARGE_BYTES = 64 * 1024;

/** Resources that all clients of a process share. */
export interface SharedParts {
  budget: ByteBudget;
  stalls: StallMeter;
  turns: EventLoopTurns;
  log: CallLog;
}

/**
 * Client of one upstream. Every call has a deadline and a bound of its reply in bytes, is retried only as its request
 * allows, and is not made while the upstream counts as down. Each call is logged and measured.
 */
export class UpstreamClient implements ClientState {
  readonly name: string;
  private readonly agent: Agent;
  private readonly targets: Targets;
  private readonly circuit: Circuit;
  private readonly slots: BulkheadPolicy;
  private readonly calls: WaitingCalls;
  private readonly inProgress = new Set<CallInProgress>();
  private stopped = false;

  constructor(
    private readonly options: UpstreamOptions,
    private readonly shared: SharedParts,
  ) {
    const { name, concurrency, queue, connectTimeoutMs, firstByteTimeoutMs = 0, idleTimeoutMs = 0 } = options;
    this.name = name;
    this.targets = new Targets(options);
    this.circuit = new Circuit(options.breaker);
    this.circuit.onChange((open) => shared.log.writeChange(name, open));
    this.slots = bulkhead(concurrency, queue);
    this.calls = new WaitingCalls(options);
    this.agent = new Agent({
      connections: concurrency,
      allowH2: false,
      // Connections are dropped before a server would drop them: one that closes during a request leaves its outcome
      // unknown.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: firstByteTimeoutMs,
      bodyTimeout: idleTimeoutMs,
      connect: { timeout: connectTimeoutMs },
    });
  }

  /** Whether the upstream counts as down. */
  get isDown(): boolean {
    return this.circuit.open;
  }

  /** Calls that wait for a reply to begin. */
  get waiting(): number {
    return this.calls.count;
  }

  /**
   * Makes a call. @param read extracts the result from the reply, whose status can be any but 3xx. An error that it
   * throws about a 2xx reply counts against the upstream. @throws UpstreamCallError, and whatever `read` throws
   */
  call<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T): Promise<T> {
    return this.run(request, read);
  }

  /**
   * Makes a call whose reply is streamed at the reader's pace, within the call's deadline. @throws UpstreamCallError,
   * `status` with the beginning of the reply if it is not 2xx
   */
  async stream(request: UpstreamRequest): Promise<UpstreamStream> {
    const stream = new BodyStream();
    const accept = (reply: UpstreamReply) => {
      if (!reply.ok) throw reply.refused();
    };
    this.run(request, accept, stream).then(
      () => stream.end(),
      (error: unknown) => stream.fail(error as Error),
    );
    return stream.opened;
  }

  /**
   * The error if a call would not be admitted at present, for callers whose preparation is expensive; otherwise
   * undefined.
   */
  unavailable(operation: string): UpstreamCallError | undefined {
    return this.circuit.offers() ? undefined : this.notCalled(operation, 'circuit_open');
  }

  /** Ends all calls, or lets them finish if so configured, and closes the connections. */
  async close(): Promise<void> {
    this.stopped = true;
    if (this.options.finishesAtShutdown) await Promise.all(Array.from(this.inProgress, (call) => call.finished));
    for (const call of this.inProgress) call.end('shutdown');
    await this.agent.destroy();
  }

  private run<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T, stream?: BodyStream): Promise<T> {
    const { operation } = request;
    const attributes = { 'upstream.name': this.name, 'upstream.operation': operation };
    return traced({ name: `${this.name} ${operation}`, kind: 'client', attributes }, () =>
      this.make(request, read, stream),
    );
  }

  private async make<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T, stream?: BodyStream): Promise<T> {
    const call = this.admit(request);
    stream?.belongsTo(() => call.end('cancelled'));
    const lease = this.shared.budget.open();
    const context = { options: this.options, dispatcher: this.agent, targets: this.targets, call, lease, stream };
    this.inProgress.add(call);
    try {
      const reply = await call.during(() => this.slots.execute(() => this.attempts(request, context)));
      if (reply.body.length > LARGE_BYTES) await this.shared.turns.next();
      const value = await read(reply);
      this.over(request, call);
      return value;
    } catch (error) {
      const told = this.explained(error, request, call);
      this.over(request, call, told);
      throw told;
    } finally {
      lease.close();
      this.inProgress.delete(call);
    }
  }

  private admit(request: UpstreamRequest): CallInProgress {
    if (this.stopped) throw this.notCalled(request.operation, 'shutdown');
    if (!this.calls.admits(request.onBehalfOf)) throw this.notCalled(request.operation, 'busy');
    const observation = this.circuit.enter();
    if (!observation) throw this.notCalled(request.operation, 'circuit_open');
    return new CallInProgress(request, observation, {
      calls: this.calls,
      stalls: this.shared.stalls,
      slowAfterMs: this.options.slowAfterMs,
      timeoutMs: request.timeoutMs ?? this.options.timeoutMs,
    });
  }

  /** The first attempt, and what follows if it is to be repeated. */
  private attempts(request: UpstreamRequest, context: AttemptContext): Promise<UpstreamReply> {
    const { call, stream } = context;
    const { timeoutMs = this.options.timeoutMs, retry: rule = 'never' } = request;
    const { retries, retryPauseMs: pauseMs } = this.options;
    const once = () => {
      // Its turn came too late.
      if (call.interrupted) return Promise.reject(new AbortedError());
      call.waits();
      return attempt(request, context);
    };
    if (rule === 'never') return once();
    return retrying(once, {
      rule,
      retries,
      pauseMs,
      remainingMs: () => timeoutMs - call.durationMs,
      bodyConsumed: () => stream?.begun === true,
    });
  }

  private explained(error: unknown, { operation }: UpstreamRequest, { ending, sent }: CallInProgress): unknown {
    const reason = isBulkheadRejectedError(error) ? 'busy' : error instanceof AbortedError ? ending : undefined;
    return reason ? new UpstreamCallError({ upstream: this.name, operation, reason, sent }) : error;
  }

  private over({ operation }: UpstreamRequest, call: CallInProgress, error?: unknown): void {
    call.over(error);
    const { attempts, bytes, durationMs, status } = call;
    const { reason, code } = error instanceof UpstreamCallError ? error : {};
    const outcome = reason && reason !== 'status' ? reason : String(status ?? 'error');
    const ok = outcome === String(status) && (status ?? 500) < 400;
    annotateSpan({
      'upstream.outcome': outcome,
      'upstream.attempts': attempts,
      'http.response.status_code': status,
    });
    this.shared.log.write({ upstream: this.name, operation, outcome, code, attempts, bytes, durationMs, ok });
  }

  private notCalled(operation: string, reason: UpstreamFailureReason): UpstreamCallError {
    annotateSpan({ 'upstream.outcome': reason });
    this.shared.log.write({
      upstream: this.name,
      operation,
      outcome: reason,
      attempts: 0,
      bytes: 0,
      durationMs: 0,
      ok: false,
    });
    return new UpstreamCallError({ upstream: this.name, operation, reason, sent: false });
  }
}
