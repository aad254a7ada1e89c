import { Readable } from 'node:stream';
import { SegmentedBytes } from '@platform/json';
import type { TokenUsage } from '../../ledger/credit-ledger.port';
import type { UpstreamMessageStream } from '../../ports/ai-upstream.port';

/** Bytes that wait for their reader at most, apart from one piece of the provider's reply. */
const UNREAD_BYTES = 16 * 1024;

/**
 * The events of longer streams are not kept for an Idempotency-Key: compressed, they would most likely be too large all the
 * same.
 */
const MOST_KEPT_BYTES = 32 * 1024 * 1024;

/** Memory for the events that are kept for Idempotency-Keys. */
export interface EventMemory {
  /** @returns whether there is room for so many bytes more */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** What the call's owner does with a stream. */
interface StreamOwner {
  /** Is told the bytes of each piece of events, also after the reader has gone. */
  received: (bytes: number) => void;
  /** Where the events are kept for an Idempotency-Key; undefined if they are not wanted. */
  memory: EventMemory | undefined;
  /** Charges the message. @param events all events; null if they are not wanted, or too many */
  settle: (usage: TokenUsage, events: Buffer | null) => Promise<unknown>;
  /** Ends a call whose message broke off. @returns the error for the reader */
  brokeOff: (error: unknown) => Promise<unknown>;
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
  private source?: Pick<UpstreamMessageStream, 'pause' | 'resume'>;
  private ended = false;
  private heldMs = 0;
  private heldSince?: number;
  private timer?: NodeJS.Timeout;

  constructor(private readonly patienceMs: number) {
    super({ highWaterMark: UNREAD_BYTES });
  }

  /**
   * Passes the provider's events on to the end, whether the reader stays or not. The last one, `message_stop`, is withheld until the
   * settlement is committed: a reader who has it knows that the message is charged. @throws if it is not charged
   */
  async relay(source: UpstreamMessageStream, { received, memory, settle, brokeOff }: StreamOwner): Promise<void> {
    const kept = new KeptEvents(memory);
    this.source = source;
    try {
      const { usage, lastEvent } = await source
        .read((piece) => {
          received(piece.length);
          kept.add(piece);
          this.pass(piece);
        })
        .catch(async (error: unknown) => {
          throw await brokeOff(error);
        });
      await settle(usage, kept.take(lastEvent));
      this.end(lastEvent);
    } finally {
      kept.forget();
    }
  }

  private pass(events: Buffer): void {
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

/**
 * The events of a stream, until it is charged; none of them if there are too many. They are copied together: each as the small piece that it
 * comes as would take four times its size.
 */
class KeptEvents {
  private events = new SegmentedBytes();
  /** Bytes of memory that were taken for them. */
  private taken = 0;

  constructor(private memory: EventMemory | undefined) {}

  add(piece: Buffer): void {
    if (!this.memory) return;
    this.events.add(piece);
    const more = this.events.allocated - this.taken;
    if (this.events.length > MOST_KEPT_BYTES || (more > 0 && !this.memory.take(more))) return this.forget();
    this.taken += more;
  }

  /** Hands all events over, and keeps no second copy of them while they are stored. @returns null if they are not kept */
  take(lastEvent: Buffer): Buffer | null {
    const { events } = this;
    this.events = new SegmentedBytes();
    return this.memory ? Buffer.concat([...events.slice(0, events.length), lastEvent]) : null;
  }

  forget(): void {
    this.memory?.give(this.taken);
    this.memory = undefined;
    this.events = new SegmentedBytes();
  }
}
