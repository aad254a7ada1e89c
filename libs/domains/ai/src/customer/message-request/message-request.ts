import type { CacheUse } from '../../ledger/token-usage';

/** A valid request for a message, ready to be passed on. */
export interface MessageRequest {
  /** The JSON of `messages`, byte for byte as the caller wrote it, in as many parts as it is kept in. */
  messages: Buffer[];
  /** The JSON of `system`, likewise. */
  system?: Buffer[];
  maxTokens?: number;
  /** No model can count more input tokens than this. */
  inputTokens: number;
  cache: CacheUse;
}
