import type { FastifyRequest } from 'fastify';
import { MessageRequestReader, type PLAIN_FIELDS } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { ReadBodyBy } from '@platform/http';

/**
 * A message's body: up to the provider's limit, parsed while it arrives and forwarded byte for byte. Customers without AI are
 * refused before it is read.
 */
export const MessageBody = (rules: typeof PLAIN_FIELDS) =>
  ReadBodyBy({
    bytes: 32 * 1024 * 1024,
    values: ({ AI_BODY_MAX_VALUES }) => AI_BODY_MAX_VALUES,
    reader: ({ AI_CONTEXT_TOKENS }) => new MessageRequestReader(AI_CONTEXT_TOKENS, rules),
    admit: assertAiEnabled,
  });

/** The token's look-up has returned whether AI is enabled, so no query is needed. @throws ServiceError ai_disabled */
function assertAiEnabled({ customer }: FastifyRequest): void {
  if (!customer?.aiEnabled) throw new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
}
