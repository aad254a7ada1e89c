import type { KeptReply } from '../../../ledger/credit-ledger.types';
import type { AnswerKey } from '../ai-answer';

/** More events are not kept: compressed, they would most likely be too large all the same. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The events of a stream that is to be given again under its Idempotency-Key. */
export class KeptEvents {
  private pieces: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly key: AnswerKey) {}

  add(events: Buffer): void {
    this.bytes += events.length;
    if (this.bytes <= MOST_BYTES) this.pieces.push(events);
    else this.pieces = [];
  }

  /** What is stored with the settlement. Null: the stream is too large to be kept. */
  async seal(lastEvent: Buffer, usageId: string): Promise<KeptReply | null> {
    if (this.bytes > MOST_BYTES) return null;
    return this.key.seal(Buffer.concat([...this.pieces, lastEvent]), usageId);
  }
}
