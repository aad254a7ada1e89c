import type { UpstreamCallError, UpstreamFailureReason } from '../upstream-call-error';
import type { ByteLease } from '../wire/byte-budget';
import type { Flow } from '../wire/exchange';
import type { BodyStream } from './body-stream';

/** Creates the error of this call. `code` is one of our constants or of the system's. */
export type Fail = (reason: UpstreamFailureReason, code?: string) => UpstreamCallError;

/** Status and headers of a reply. */
export interface ReplyHead {
  status: number;
  headers: Record<string, string>;
}

/** Maximum size of a refusal's body that is read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

const LARGE_BYTES = 64 * 1024;

/** Reads a reply's body, within its bound: into memory, as far as the budget allows, or into a stream. */
export class BodyReader {
  private head: ReplyHead = { status: 0, headers: {} };
  private flow?: Flow;
  private chunks: Buffer[] = [];
  private whole?: Buffer;
  private received = 0;
  private readonly lease: ByteLease;
  private readonly stream?: BodyStream;
  private readonly counted: { bytes: number };

  constructor(
    private readonly most: number,
    { lease, stream, call }: { lease: ByteLease; stream?: BodyStream; call: { bytes: number } },
    private readonly fail: Fail,
  ) {
    [this.lease, this.stream, this.counted] = [lease, stream, call];
    lease.clear();
  }

  begin(head: ReplyHead, flow: Flow): void {
    [this.head, this.flow] = [head, flow];
    if (!this.accepted) return;
    if (Number(head.headers['content-length']) > this.most) throw this.fail('too_large', 'CONTENT_LENGTH');
    // No compression was requested, and the unpacked size would have no bound.
    if (!/^(identity)?$/i.test(head.headers['content-encoding'] ?? ''))
      throw this.fail('unexpected', 'CONTENT_ENCODING');
    if (this.stream) this.stream.begin(head, flow);
    else this.reserveMemory(Number(head.headers['content-length'] ?? 0));
  }

  /** @returns whether to read more */
  add(chunk: Buffer): boolean {
    this.received += chunk.length;
    this.counted.bytes += chunk.length;
    if (this.accepted && this.received > this.most) throw this.fail('too_large');
    if (this.accepted && this.stream) {
      this.stream.push(chunk);
      return true;
    }
    if (this.whole && this.received <= this.whole.length) chunk.copy(this.whole, this.received - chunk.length);
    else this.chunks.push(chunk);
    this.lease.add(chunk.length, this.flow as Flow);
    return this.accepted || this.received < MAX_REFUSAL_BYTES;
  }

  /** The body in one buffer. */
  take(): { head: ReplyHead; bytes: Buffer } {
    if (this.whole) return { head: this.head, bytes: this.whole.subarray(0, this.received) };
    const [first = Buffer.alloc(0), ...others] = this.chunks;
    this.chunks = [];
    return { head: this.head, bytes: others.length === 0 ? first : Buffer.concat([first, ...others]) };
  }

  /** Allocates the buffer of a body of known length, instead of joining the chunks at the end. */
  private reserveMemory(length: number): void {
    if (length >= LARGE_BYTES) this.whole = Buffer.allocUnsafeSlow(length);
  }

  private get accepted(): boolean {
    return this.head.status < 300;
  }
}
