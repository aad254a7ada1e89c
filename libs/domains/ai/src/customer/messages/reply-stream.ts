import { Readable } from 'node:stream';

/** Bytes that wait for their reader at most, apart from one piece of the provider's reply. */
const UNREAD_BYTES = 16 * 1024;

/** Where the events come from. */
interface Source {
  pause(): void;
  resume(): void;
}

/**
 * The reader's end of a message's stream. While the reader does not keep up, the source is paused; once the reader has held it
 * up for `patienceMs` in all, the reader is disconnected, and the source goes on without it. The same happens when the reader
 * disconnects.
 *
 * Emits `begun` with the first event, and `gone` if the reader goes before the last.
 */
export class ReplyStream extends Readable {
  /** Whether there has been an event: from then on, an error can only be told as an event. */
  begun = false;
  private source?: Source;
  private ended = false;
  private heldMs = 0;
  private heldSince?: number;
  private timer?: NodeJS.Timeout;

  constructor(private readonly patienceMs: number) {
    super({ highWaterMark: UNREAD_BYTES });
  }

  follow(source: Source): void {
    this.source = source;
  }

  /** Passes events on, if the reader is still there. */
  pass(events: Buffer): void {
    if (this.destroyed) return;
    const keepsUp = this.push(events);
    this.begin();
    if (keepsUp) return;
    this.source?.pause();
    this.hold();
  }

  /** Ends the stream with this event. */
  end(lastEvent: Buffer): void {
    if (this.destroyed) return;
    this.ended = true;
    this.push(lastEvent);
    this.push(null);
    this.begin();
    this.hold();
  }

  override _read(): void {
    if (this.ended) return;
    this.stopHolding();
    this.source?.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.stopHolding();
    if (!this.ended) this.emit('gone');
    this.source?.resume();
    callback(error);
  }

  private begin(): void {
    if (this.begun) return;
    this.begun = true;
    this.emit('begun');
  }

  private hold(): void {
    if (this.timer) return;
    this.heldSince = performance.now();
    this.timer = setTimeout(() => this.destroy(), Math.max(0, this.patienceMs - this.heldMs)).unref();
  }

  private stopHolding(): void {
    if (this.heldSince !== undefined) this.heldMs += performance.now() - this.heldSince;
    this.heldSince = undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
