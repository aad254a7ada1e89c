import { Readable } from 'node:stream';
import { LinkedList, type ListEntry } from '@platform/collections';
import type { Flow } from './exchange';
import { UpstreamCallError, type UpstreamFailureReason } from './upstream-reply';

/** A body of at least this size has a buffer of its own from the beginning, if its length is known. */
const LARGE_BYTES = 64 * 1024;
/** Maximum size of a refusal's body that is read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Bytes of a stream that wait for its reader at most, apart from one piece. Of an AI message they are a hundred pieces, each of which takes
 * four times its bytes.
 */
const WAITING_BYTES = 16 * 1024;

/** The call whose reply is read. */
export interface BodyReader extends Flow {
  /** Number of bytes received. */
  bytes: number;
  /** Creates the error of this call. `code` is one of our constants or of the system's. */
  failure(reason: UpstreamFailureReason, code?: string): UpstreamCallError;
}

/** A reply's body, read within its bound: into memory, as far as the budget allows, or into a stream. */
export class ReplyBody {
  private accepted = false;
  private chunks: Buffer[] = [];
  private whole?: Buffer;
  private received = 0;

  /** @param stream receives the body of a 2xx reply as it arrives; if undefined, bodies are read into memory */
  constructor(
    private readonly maxBytes: number,
    private readonly reader: BodyReader,
    private readonly lease: ByteLease,
    private readonly stream: BodyStream | undefined,
  ) {
    lease.clear();
  }

  /** @throws UpstreamCallError too_large, unexpected */
  begin(status: number, headers: Record<string, string>): void {
    this.accepted = status < 300;
    if (!this.accepted) return;
    const length = Number(headers['content-length'] ?? 0);
    if (length > this.maxBytes) throw this.reader.failure('too_large', 'CONTENT_LENGTH');
    const encoding = headers['content-encoding'];
    // No compression was requested, and the unpacked size would have no bound.
    if (encoding && !/^identity$/i.test(encoding)) throw this.reader.failure('unexpected', 'CONTENT_ENCODING');
    if (this.stream) this.stream.begin(status, headers, this.reader);
    else if (length >= LARGE_BYTES) this.whole = Buffer.allocUnsafeSlow(length);
  }

  /** @returns whether to read more @throws UpstreamCallError too_large */
  add(chunk: Buffer): boolean {
    this.received += chunk.length;
    this.reader.bytes += chunk.length;
    if (this.accepted && this.received > this.maxBytes) throw this.reader.failure('too_large');
    if (this.accepted && this.stream) {
      this.stream.push(chunk);
      return true;
    }
    if (this.whole && this.received <= this.whole.length) chunk.copy(this.whole, this.received - chunk.length);
    else this.chunks.push(chunk);
    this.lease.add(chunk.length, this.reader);
    return this.accepted || this.received < MAX_REFUSAL_BYTES;
  }

  /** The bytes that were read into memory. */
  take(): Buffer {
    if (this.whole) return this.whole.subarray(0, this.received);
    const { chunks } = this;
    this.chunks = [];
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }
}

/** A reply whose body is streamed. */
export interface UpstreamStream {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Errors with an UpstreamCallError if the body is incomplete. Destroying it ends the call. */
  content: Readable;
  /** Ends the call because its reply is of no use, which counts against the upstream; also at the end of the body. @param code a constant */
  unusable: (code: string) => void;
}

/**
 * Streams the body of a reply at the reader's pace. All that one read of the connection brings is one piece, in however many
 * chunks it was sent: each costs the reader, and those behind it, as much as a hundred bytes more.
 */
export class BodyStream {
  private readonly opening = Promise.withResolvers<UpstreamStream>();
  /** Resolves when the body begins. */
  readonly opened = this.opening.promise;
  /** Called when the reader stops reading. @param fault the reply's, if that is why */
  onClosed?: ((fault?: UpstreamCallError) => void) | undefined;
  private readonly closed = Promise.withResolvers<UpstreamCallError | undefined>();
  private content?: Readable;
  private flow: Flow | undefined;
  private chunks: Buffer[] = [];

  /** Whether the body has begun. */
  get begun(): boolean {
    return this.content !== undefined;
  }

  begin(status: number, headers: Record<string, string>, reader: Omit<BodyReader, 'bytes'>): void {
    this.flow = reader;
    const content = new Readable({
      highWaterMark: WAITING_BYTES,
      read: () => this.flow?.resume(),
      destroy: (error, done) => {
        const fault = error instanceof UpstreamCallError ? error : undefined;
        this.closed.resolve(fault);
        this.onClosed?.(fault);
        done(error);
      },
    });
    this.content = content;
    const unusable = (code: string) => void content.destroy(reader.failure('unexpected', code));
    this.opening.resolve({ status, headers, content, unusable });
  }

  push(chunk: Buffer): void {
    if (this.chunks.push(chunk) === 1) process.nextTick(() => this.passOn());
  }

  /** Ends a body that has begun. Resolves when its reader has read it, or stops. @throws UpstreamCallError if the reader could not use it */
  async end(): Promise<void> {
    this.flow = undefined;
    this.passOn();
    this.onClosed = undefined;
    this.content?.push(null);
    const fault = await this.closed.promise;
    if (fault) throw fault;
  }

  /** Fails the body. */
  fail(error: Error): void {
    this.flow = undefined;
    this.passOn();
    if (this.content) this.content.destroy(error);
    else this.opening.reject(error);
  }

  private passOn(): void {
    const { chunks } = this;
    if (chunks.length === 0) return;
    this.chunks = [];
    const piece = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    if (this.content?.push(piece) === false) this.flow?.pause();
  }
}

/**
 * Bounds the bytes of replies that a process holds in memory. A reply beyond the bound waits on its connection until
 * others are finished; the oldest one of those that have bytes always continues, so that replies cannot deadlock.
 */
export class ByteBudget {
  /** Bytes in use. */
  used = 0;
  /** Those that have bytes, the oldest first, and those of replies that wait. */
  readonly leases = new LinkedList<ByteLease>();
  readonly paused = new Map<ByteLease, Flow>();

  constructor(private readonly limit: number) {}

  /** The lease of one reply. It must be cleared. */
  open(): ByteLease {
    return new ByteLease(this);
  }

  /** Lets those that wait read on, as far as they may. */
  resume(): void {
    for (const [waiting, flow] of [...this.paused]) {
      if (!this.admits(waiting)) continue;
      this.paused.delete(waiting);
      flow.resume();
    }
  }

  /** Whether the reply of a lease may be read on. */
  admits(lease: ByteLease): boolean {
    return this.used <= this.limit || this.leases.oldest?.value === lease;
  }
}

/** The bytes of one reply. */
export class ByteLease {
  private bytes = 0;
  private place?: ListEntry<ByteLease> | undefined;

  constructor(private readonly budget: ByteBudget) {}

  /** Adds bytes, and pauses the reply while the budget is exceeded. */
  add(bytes: number, flow: Flow): void {
    const { budget } = this;
    this.place ??= budget.leases.add(this);
    this.bytes += bytes;
    budget.used += bytes;
    if (budget.admits(this)) return;
    budget.paused.set(this, flow);
    flow.pause();
  }

  /** Releases the bytes, at the end of the call or for another attempt of it; other replies may continue. */
  clear(): void {
    const { budget } = this;
    budget.used -= this.bytes;
    this.bytes = 0;
    budget.paused.delete(this);
    if (!this.place) return;
    this.place.remove();
    this.place = undefined;
    budget.resume();
  }
}
