import { Readable } from 'node:stream';
import type { Flow } from '../wire/exchange';

/** A reply whose body is streamed. */
export interface UpstreamStream {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Errors with an UpstreamCallError if the body is incomplete. Destroying it ends the call. */
  content: Readable;
}

/**
 * Streams the body of a reply at the reader's pace. What one read of the connection brings is one piece, in however many chunks
 * it was sent: each costs the reader, and those behind it, as much as a hundred bytes more.
 */
export class BodyStream {
  private readonly opening = Promise.withResolvers<UpstreamStream>();
  private content?: Readable;
  private flow?: Flow;
  private chunks: Buffer[] = [];
  private onGone = (): void => undefined;

  /** @param end ends the call when the reader stops reading */
  belongsTo(end: () => void): void {
    this.onGone = end;
  }

  /** Resolves when the body begins. */
  get opened(): Promise<UpstreamStream> {
    return this.opening.promise;
  }

  /** Whether the body has begun. */
  get begun(): boolean {
    return this.content !== undefined;
  }

  begin(head: { status: number; headers: Record<string, string> }, flow: Flow): void {
    this.flow = flow;
    const content = new Readable({
      read: () => this.flow?.resume(),
      destroy: (error, done) => {
        this.onGone();
        done(error);
      },
    });
    this.content = content;
    this.opening.resolve({ ...head, content });
  }

  push(chunk: Buffer): void {
    if (this.chunks.push(chunk) === 1) process.nextTick(() => this.passOn());
  }

  /** Ends the body. */
  end(): void {
    this.flow = undefined;
    this.passOn();
    this.onGone = () => undefined;
    this.content?.push(null);
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
