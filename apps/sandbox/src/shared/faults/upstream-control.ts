import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../answer';
import { deliver, distort, DISTORTIONS, type Manner, manner, TRANSPORT } from './deliver';
import { DirectiveError, Directives, type DirectiveValues } from './directives';
import { CountLatch, Gate } from './gate';

/** Directives that every upstream understands. */
export const COMMON_DIRECTIVES = [...TRANSPORT, ...DISTORTIONS] as const;

/** How an upstream answers one request. */
interface Responder {
  /** The directives of the request. */
  find: () => Directives;
  /** The reply under these directives, or under those of a test. */
  respond: (directives: Directives) => Answer;
  /** What the request is about, if that has a name: an account, or one document. */
  subject?: string;
  /** The upstream's own error for an invalid request. */
  complain: (message: string) => Answer;
  /** Work that must be done before the reply is written; called after `respond`. */
  before?: () => Promise<void> | undefined;
}

/** A received request. */
export interface ReceivedRequest {
  method: string;
  /** Path and query, with the prefix of the upstream. */
  url: string;
  headers: IncomingHttpHeaders;
  /** The body byte for byte; empty when there was none. */
  body: Buffer;
}

const NOTHING = Buffer.alloc(0);

/** Controls one upstream, and records its requests. */
export class UpstreamControl {
  private readonly known: ReadonlySet<string>;
  private readonly knownInText: ReadonlySet<string>;
  private readonly log: RequestLog;
  private queue: Directives[] = [];
  private standing: Directives | undefined;
  private readonly subjects = new Map<string, Directives>();
  private gate: Gate | undefined;

  /**
   * @param own names of the directives that this upstream has besides the common ones
   * @param recordLimit number of requests that are recorded
   * @param inText names that may be used in a request, if they differ from those that a test may use
   */
  constructor(own: readonly string[], recordLimit: number, inText: readonly string[] = own) {
    this.known = new Set([...COMMON_DIRECTIVES, ...own]);
    this.knownInText = new Set([...COMMON_DIRECTIVES, ...inText]);
    this.log = new RequestLog(recordLimit);
  }

  /** Names of the directives that a request may contain. The README describes each. */
  get directives(): string[] {
    return [...this.knownInText];
  }

  /** The received requests, oldest first; above the record limit the oldest are dropped. */
  get requests(): readonly ReceivedRequest[] {
    return this.log.requests;
  }

  /** Number of received requests since the start or the last reset. */
  get total(): number {
    return this.log.total;
  }

  /** Resolves when `total` requests have been received since the start or the last reset. */
  received(total: number): Promise<void> {
    return this.log.reached(total);
  }

  /** Directives for the next requests, one entry each, in order of arrival. They replace those in the request. */
  script(...entries: DirectiveValues[]): void {
    this.queue.push(...entries.map((entry) => Directives.of(entry, this.known)));
  }

  /** Directives for every request without a scripted entry, until called again; without an argument: none. */
  always(values?: DirectiveValues): void {
    this.standing = values && Directives.of(values, this.known);
  }

  /** The same for requests about one account, or for one document, only; they come before those for every request. */
  alwaysFor(subject: string, values?: DirectiveValues): void {
    if (values) this.subjects.set(subject, Directives.of(values, this.known));
    else this.subjects.delete(subject);
  }

  /** From now on replies wait at the returned gate until it is opened. */
  hold(): Gate {
    this.gate?.open();
    this.gate = new Gate();
    return this.gate;
  }

  /** Deletes recorded requests, scripts and permanent directives, and opens the gate. */
  reset(): void {
    this.log.clear();
    this.queue = [];
    this.standing = undefined;
    this.subjects.clear();
    this.gate?.open();
    this.gate = undefined;
  }

  /** @internal records the request */
  receive(request: FastifyRequest): ReceivedRequest {
    return this.log.add(request);
  }

  /** @internal the directives in a text of the request */
  inText(text: string): Directives {
    return Directives.inText(text, this.knownInText);
  }

  /** @internal answers a request according to the directives of the test, else those of the request */
  answer(reply: FastifyReply, { find, respond, subject, complain, before }: Responder): void {
    let how: Manner | undefined;
    let answer: Answer;
    try {
      const own = subject === undefined ? undefined : this.subjects.get(subject);
      const directives = this.queue.shift() ?? own ?? this.standing ?? find();
      how = manner(directives);
      answer = distort(respond(directives), directives);
    } catch (error) {
      if (!(error instanceof DirectiveError)) throw error;
      how = undefined;
      answer = complain(error.message);
    }
    deliver(reply, answer, { how, before: before?.(), gate: this.gate });
  }
}

/** The requests that an upstream received, oldest first, up to a limit. */
class RequestLog {
  private readonly latch = new CountLatch();
  private readonly kept: ReceivedRequest[] = [];
  private received = 0;

  constructor(private readonly limit: number) {}

  add(request: FastifyRequest): ReceivedRequest {
    const entry: ReceivedRequest = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.isBuffer(request.body) ? request.body : NOTHING,
    };
    if (this.limit > 0) {
      if (this.kept.length === this.limit) this.kept.shift();
      this.kept.push(entry);
    }
    this.received += 1;
    this.latch.reach(this.received);
    return entry;
  }

  get requests(): readonly ReceivedRequest[] {
    return this.kept;
  }

  get total(): number {
    return this.received;
  }

  reached(total: number): Promise<void> {
    return this.latch.reached(total);
  }

  clear(): void {
    this.kept.length = 0;
    this.received = 0;
    this.latch.drop(0);
  }
}
