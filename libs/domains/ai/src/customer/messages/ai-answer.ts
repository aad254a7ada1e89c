import type { Readable } from 'node:stream';
import type { KeptReply, KeyClaim, SettlementResult } from '../../ledger/credit-ledger.types';

/** What a call cost its customer, in NOK as decimal texts. */
export type Charge = Pick<SettlementResult, 'charged' | 'remaining'>;

/** The answer to a request for a message. */
export interface AiAnswer {
  /** The id under which the call's usage is recorded once it is charged. */
  usageId: string;
  /** The provider's reply, byte for byte: a message that is charged, or its events while they come. */
  body: Buffer | Readable;
  /** What was charged. Not known yet of a stream. */
  charge?: Charge;
  /** Resolves when nothing of the request is needed any more: a stream goes on without its reader. */
  ended: Promise<void>;
}

/** The Idempotency-Key of a request: its answer is kept, to be given again. */
export interface AnswerKey {
  /** Stored with the reservation. */
  claim: KeyClaim;
  /** Told when the reservation has claimed it. */
  claimed: () => void;
  /** Asked before the provider is, for a request that has not claimed it yet. @throws if another request has it */
  assertFree: () => Promise<void>;
  /** Makes what is stored with the settlement. Null: the answer is too large to be kept. */
  seal: (body: Buffer, usageId: string) => Promise<KeptReply | null>;
}

/** How an answer is wanted. */
export interface AnswerForm {
  stream: boolean;
  /** Makes the event that tells the reader of a stream why it broke off. */
  errorEvent: (error: unknown) => Buffer;
  key?: AnswerKey;
}
