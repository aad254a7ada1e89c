import type { TokenUsage } from '../ledger/token-usage';
import type { UpstreamError } from './upstream-error';

/** A message to be created, or its tokens to be counted. */
export interface UpstreamCall {
  /** Whose call it is; not sent. */
  customerId: string;
  /** The provider's key; never logged. */
  apiKey: string;
  model: string;
  /** The JSON of `messages`, passed on byte for byte, in parts that are sent as they are: together they may have 32 MB. */
  messages: readonly Buffer[];
  /** The JSON of `system`, likewise. */
  system?: readonly Buffer[];
}

/** A message that the provider created. */
export interface UpstreamMessage {
  /** The reply's body, byte for byte. */
  body: Buffer;
  usage: TokenUsage;
  /** The provider's own id of the call. */
  requestId: string | null;
}

/** The AI provider. Adapters speak its wire format. */
export abstract class AiUpstream {
  /**
   * Creates a message of at most `maxTokens` tokens.
   * @throws UpstreamError, also when `signal` aborts
   */
  abstract createMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessage>;

  /** Counts a request's input tokens; the provider calls it an estimate, and charges nothing. @throws UpstreamError */
  abstract countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number>;

  /** Why a call would not be made at present, the provider being down; nothing if it would. */
  abstract unavailable(): UpstreamError | undefined;
}
