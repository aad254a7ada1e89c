import type { CacheUse } from '../../ledger/token-usage';

/** A field of a request that is forwarded as the caller sent it. */
export interface ForwardedField {
  name: string;
  /** Its JSON, byte for byte, in one or more parts. */
  json: Buffer[];
}

/** A valid request for a message. */
export interface MessageRequest {
  /** The JSON of `messages`, byte for byte as the caller sent it, in one or more parts. */
  messages: Buffer[];
  /** The JSON of `system`, likewise. */
  system?: Buffer[];
  /** What else is forwarded, in the caller's order. */
  options: ForwardedField[];
  maxTokens?: number;
  /** Whether the body asks for a stream of events. */
  stream: boolean;
  /** The part of the answer's tokens that is for thinking: `max_tokens` must be more. */
  thinkingTokens?: number;
  /** Upper bound of the input tokens. */
  inputTokens: number;
  cache: CacheUse;
}
