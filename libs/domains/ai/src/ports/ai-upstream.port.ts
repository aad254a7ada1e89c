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
  /** Further fields, likewise. */
  options: readonly { name: string; json: readonly Buffer[] }[];
}

/** A message that the provider created. */
export interface UpstreamMessage {
  /** The reply's body, byte for byte. */
  body: Buffer;
  usage: TokenUsage;
  /** The provider's own id of the call. */
  requestId: string | null;
}

/** A message that the provider is creating. */
export interface UpstreamMessageStream {
  /** The provider's own id of the call. */
  readonly requestId: string | null;
  /**
   * Reads the events to the end.
   * @param pass receives them as they come, byte for byte, one or more at a time, except the last
   * @returns the message's usage, and the event that ends it
   * @throws UpstreamError if the message breaks off
   */
  read(pass: (events: Buffer) => void): Promise<{ usage: TokenUsage; lastEvent: Buffer }>;
  /** Holds the events back, as long as its reader does not keep up. */
  pause(): void;
  resume(): void;
}

/** The AI provider. Adapters implement its wire format. */
export abstract class AiUpstream {
  /** Creates a message of at most `maxTokens` tokens. @throws UpstreamError, also when `signal` aborts */
  abstract createMessage(call: UpstreamCall & { maxTokens: number }, signal: AbortSignal): Promise<UpstreamMessage>;

  /** Creates a message and passes it on while it is being created. @throws UpstreamError if none begins */
  abstract streamMessage(
    call: UpstreamCall & { maxTokens: number },
    signal: AbortSignal,
  ): Promise<UpstreamMessageStream>;

  /**
   * Counts a request's input tokens. The provider calls the result an estimate, and charges nothing. @throws
   * UpstreamError
   */
  abstract countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number>;

  /** The error if calls are not made at present because the provider is down; otherwise undefined. */
  abstract unavailable(): UpstreamError | undefined;
}
