import type { CacheUse } from '../../ledger/token-usage';

/** A valid request for a message. */
export interface MessageRequest {
  /** The JSON of `messages`, byte for byte as the caller sent it, in one or more parts. */
  messages: Buffer[];
  /** The JSON of `system`, likewise. */
  system?: Buffer[];
  maxTokens?: number;
  /** Upper bound of the input tokens. */
  inputTokens: number;
  cache: CacheUse;
}
