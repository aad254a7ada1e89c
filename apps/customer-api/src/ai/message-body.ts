import { MessageRequestReader, type PLAIN_FIELDS } from '@domains/ai';
import { ReadBodyBy } from '@platform/http';

/** A message's body: up to the provider's limit, parsed while it arrives and forwarded byte for byte. */
export const MessageBody = (rules: typeof PLAIN_FIELDS) =>
  ReadBodyBy({
    bytes: 32 * 1024 * 1024,
    values: ({ AI_BODY_MAX_VALUES }) => AI_BODY_MAX_VALUES,
    reader: ({ AI_CONTEXT_TOKENS }) => new MessageRequestReader(AI_CONTEXT_TOKENS, rules),
  });
