import { Readable } from 'node:stream';
import type { Flow } from '../wire/exchange';

/** A reply whose body is streamed. */
export interface UpstreamStream {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Errors with an UpstreamCallError if the body is incomplete. Destroying it ends the call. */
  content: Readable;
}

/** Streams the body of a reply at the reader's pace. */
export class BodyStream {
  private readonly opening = Promise.withResolvers<UpstreamStream>();
  private content?: Readable;
  private flow?: Flow;
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

  push(chunk: Buffer, flow: Flow): void {
    if (this.content?.push(chunk) === false) flow.pause();
  }

  /** Ends the body. */
  end(): void {
    this.flow = undefined;
    this.content?.push(null);
  }

  /** Fails the body. */
  fail(error: Error): void {
    this.flow = undefined;
    if (this.content) this.content.destroy(error);
    else this.opening.reject(error);
  }
}
