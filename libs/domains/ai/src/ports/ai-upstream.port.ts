import type { TokenUsage } from '../ledger/token-usage';
import type { UpstreamError } from './upstream-error';

/** A request to create a message or to count its tokens. */
export interface UpstreamCall {
  /** The customer of the call; not sent. */
  customerId: string;
  /** The provider's key; never logged. */
  apiKey: string;
  model: string;
  /** The JSON of `messages`, forwarded byte for byte, in parts that are not copied: together they may have 32 MB. */
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

/** The AI provider. Adapters implement its wire format. */
export abstract class AiUpstream {
  /** Creates a message of at most `maxTokens` tokens. @throws UpstreamError, also when `signal` aborts */
  abstract createMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessage>;

  /**
   * Counts a request's input tokens. The provider calls the result an estimate, and charges nothing. @throws
   * UpstreamError
   */
  abstract countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number>;

  /** The error if calls are not made at present because the provider is down; otherwise undefined. */
  abstract unavailable(): UpstreamError | undefined;
}
