import { ServiceError, type UpstreamRefusal } from '@platform/errors';
import type { TokenUsage } from '../ledger/credit-ledger.port';

/** A field of a request that is forwarded as the caller sent it. */
export interface ForwardedField {
  name: string;
  /** Its JSON, byte for byte, in one or more parts. */
  json: readonly Buffer[];
}

/** The customer's part of a request, forwarded byte for byte, in parts that are not copied: together they may have 32 MB. */
export interface MessageContent {
  /** The JSON of `messages`, in one or more parts. */
  messages: readonly Buffer[];
  /** The JSON of `system`, likewise. */
  system?: readonly Buffer[];
  /** Further fields, in the caller's order. */
  options: readonly ForwardedField[];
  /** Whether the answer may cite documents of `messages`. What it cites counts as no output token. */
  citations?: boolean;
}

/** A request to count a message's tokens. */
export interface UpstreamCall {
  /** The customer of the call; not sent. */
  customerId: string;
  /** The provider's key; never logged. */
  apiKey: string;
  model: string;
  content: MessageContent;
}

/** A request to create a message of at most `maxTokens` tokens. */
export interface UpstreamMessageCall extends UpstreamCall {
  maxTokens: number;
}

/** A message that the provider created. */
export interface UpstreamMessage {
  /** The reply's body, byte for byte. */
  body: Buffer;
  usage: TokenUsage;
  /** The provider's own id of the call. */
  requestId: string | null;
}

/** A message that the provider is generating. */
export interface UpstreamMessageStream {
  /** The provider's own id of the call. */
  readonly requestId: string | null;
  /**
   * Reads the events to the end.
   * @param pass receives them as they come, byte for byte, one or more at a time, except the one that ends the message
   * @returns the message's usage, and the event that ends it, for the caller to pass on
   * @throws UpstreamError if the message breaks off
   */
  read(pass: (events: Buffer) => void): Promise<{ usage: TokenUsage; lastEvent: Buffer }>;
  /** Holds the events back while their reader does not keep up. */
  pause(): void;
  resume(): void;
}

/** A failed call, for the customer and for the operator. */
export interface UpstreamFault {
  /** Whether the provider refused the call, the call failed, or it was not made because the customer has as many as it may. */
  code: 'ai_upstream_rejected' | 'ai_upstream_failed' | 'rate_limited';
  /** The reason in a few words for the operator; contains no secret. */
  reason: string;
  /** The detail that the customer may read. */
  detail: string;
  retryAfterSeconds?: number;
  /** The provider's refusal in its own terms, where it concerns the customer's request or the provider's load. */
  refusal?: UpstreamRefusal;
  /** The provider's own id of the call. */
  requestId?: string;
  /** Whether the provider may have answered, and bill it: the call was sent, and neither refused nor answered in full. */
  mayBeBilled?: boolean;
  /** The usage that was reported before the answer broke off, in words for the operator. */
  usageSoFar?: string;
  cause?: unknown;
}

/** The provider created no message. Nothing is charged. */
export class UpstreamError extends Error {
  constructor(readonly fault: UpstreamFault) {
    super(fault.reason, { cause: fault.cause });
  }

  /** Returns a copy with further facts. */
  with(known: Partial<UpstreamFault>): UpstreamError {
    return new UpstreamError({ ...this.fault, ...known });
  }

  /** Converts it to the error for the customer. */
  toServiceError(): ServiceError {
    const { code, detail, retryAfterSeconds, refusal: upstream } = this.fault;
    return new ServiceError(code, detail, { retryAfterSeconds, upstream, cause: this });
  }
}

/** The AI provider. Adapters implement its wire format. */
export abstract class AiUpstream {
  /** Creates a message. @throws UpstreamError, also when `signal` aborts */
  abstract createMessage(call: UpstreamMessageCall, signal: AbortSignal): Promise<UpstreamMessage>;

  /** Creates a message and passes it on as it is generated. @throws UpstreamError if none begins */
  abstract streamMessage(call: UpstreamMessageCall, signal: AbortSignal): Promise<UpstreamMessageStream>;

  /**
   * Counts a request's input tokens. The provider calls the result an estimate, and charges nothing. @throws
   * UpstreamError
   */
  abstract countTokens(call: UpstreamCall, signal: AbortSignal): Promise<number>;

  /** The error if calls are not made at present because the provider is down; otherwise undefined. */
  abstract unavailable(): UpstreamError | undefined;
}
