import type { FastifyRequest } from 'fastify';
import { MessageRequestReader, type PLAIN_FIELDS } from '@domains/ai';
import { ServiceError } from '@platform/errors';
import { BODY_BYTES, ReadBodyBy } from '@platform/http';

/** A message's body: parsed while it arrives, and forwarded byte for byte. Customers without AI are refused before it is read. */
export const MessageBody = (rules: typeof PLAIN_FIELDS) =>
  ReadBodyBy({
    bytes: BODY_BYTES.large,
    values: ({ AI_BODY_MAX_VALUES }) => AI_BODY_MAX_VALUES,
    reader: MessageRequestReader.withRules(rules),
    admit: assertAiEnabled,
  });

/** The token's look-up has returned whether AI is enabled, so no query is needed. @throws ServiceError ai_disabled */
function assertAiEnabled({ customer }: FastifyRequest): void {
  if (!customer?.aiEnabled) throw new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
}
