import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent } from 'undici';
import { LinkedList, type ListEntry } from '@platform/collections';
import { FairSlots } from '@platform/fairness';
import { annotateSpan, traced } from '@platform/tracing';
import type { CallLog, ClientState } from './call-log';
import { Circuit, type StallMeter, WaitingCalls } from './circuit';
import { Targets } from './exchange';
import { SilenceWatch } from './silence-watch';
import { BodyStream, type ByteBudget, type UpstreamStream } from './reply-body';
import { type CallSurroundings, UpstreamCall } from './upstream-call';
import type { UpstreamOptions, UpstreamRequest } from './upstream-options';
import { UpstreamCallError, type UpstreamFailureReason, type UpstreamReply } from './upstream-reply';

/** Parsing a larger reply takes milliseconds. */
const LARGE_BYTES = 64 * 1024;
/** Large replies are read one per turn of the event loop, so that other work runs in between. */
let largeReplies = Promise.resolve();

/** Resources that all clients of a process share. */
export interface SharedParts {
  budget: ByteBudget;
  stalls: StallMeter;
  log: CallLog;
}

/**
 * Client of one upstream. Every call has a deadline and a bound of its reply in bytes, is retried only as its request
 * allows, and is not made while the upstream counts as down. Each call is logged and measured.
 */
export class UpstreamClient implements ClientState {
  readonly name: string;
  private readonly agent: Agent;
  private readonly circuit: Circuit;
  private readonly calls: WaitingCalls;
  private readonly surroundings: CallSurroundings;
  private readonly inProgress = new LinkedList<UpstreamCall>();
  private readonly silence: SilenceWatch | undefined;
  private stopped = false;

  constructor(
    private readonly options: UpstreamOptions,
    private readonly shared: SharedParts,
  ) {
    const { name, concurrency, queue = 0, connectTimeoutMs } = options;
    this.name = name;
    this.circuit = new Circuit(options.breaker, (open) => {
      shared.log.writeChange(name, open);
      if (open) options.onDown?.();
    });
    const slots = new FairSlots(concurrency, queue);
    this.calls = new WaitingCalls(options);
    this.agent = new Agent({
      connections: concurrency,
      allowH2: false,
      // Connections are dropped before a server would drop them: one that closes during a request leaves its outcome
      // unknown.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 30_000,
      // A call has one deadline, for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs },
    });
    const { baseUrl, silentAfterMs: afterMs } = options;
    if (afterMs !== undefined) this.silence = new SilenceWatch({ baseUrl, afterMs, connectTimeoutMs }, this.inProgress);
    const { stalls, budget, log } = shared;
    const targets = new Targets(options);
    this.surroundings = { options, dispatcher: this.agent, targets, slots, waiting: this.calls, stalls, budget, log };
  }

  /** Whether the upstream counts as down. */
  get isDown(): boolean {
    return this.circuit.open;
  }

  /** Number of calls that wait for a reply to begin. */
  get waiting(): number {
    return this.calls.count;
  }

  /**
   * Makes a call. @param read extracts the result from the reply, whose status can be any but 3xx. An error that it
   * throws about a 2xx reply counts against the upstream. @param stream see {@link stream} @throws UpstreamCallError, and
   * errors of `read`
   */
  call<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T, stream?: BodyStream): Promise<T> {
    const { operation } = request;
    const attributes = { 'upstream.name': this.name, 'upstream.operation': operation };
    return traced({ name: `${this.name} ${operation}`, kind: 'client', attributes }, () =>
      this.make(request, read, stream),
    );
  }

  /**
   * Makes a call whose reply is streamed at the reader's pace, within the call's deadline. @throws UpstreamCallError,
   * `status` with the beginning of the reply if it is not 2xx
   */
  stream(request: UpstreamRequest): Promise<UpstreamStream> {
    const stream = new BodyStream();
    const accept = (reply: UpstreamReply) => {
      if (!reply.ok) throw reply.refused();
    };
    this.call(request, accept, stream).catch((error: unknown) => stream.fail(error as Error));
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
    this.silence?.stop();
    await this.agent.destroy();
  }

  private async make<T>(request: UpstreamRequest, read: (reply: UpstreamReply) => T, stream?: BodyStream): Promise<T> {
    const entry = this.admit(request, stream);
    const call = entry.value;
    try {
      const reply = await call.run();
      if (reply.body.length > LARGE_BYTES) await (largeReplies = largeReplies.then(() => nextTurn()));
      const value = read(reply);
      // Only who reads it to its end can tell whether it was of use.
      if (stream) await stream.end();
      call.over();
      return value;
    } catch (error) {
      const told = call.explained(error);
      call.over(told);
      throw told;
    } finally {
      entry.remove();
    }
  }

  private admit(request: UpstreamRequest, stream: BodyStream | undefined): ListEntry<UpstreamCall> {
    if (this.stopped) throw this.notCalled(request.operation, 'shutdown');
    if (!this.calls.admits(request.onBehalfOf)) throw this.notCalled(request.operation, 'busy');
    const observation = this.circuit.enter();
    if (!observation) throw this.notCalled(request.operation, 'circuit_open');
    return this.inProgress.add(new UpstreamCall(request, observation, this.surroundings, stream));
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
