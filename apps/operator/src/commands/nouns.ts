import type { Noun } from './command';
import { aiNoun } from './ai/ai.noun';
import { auditNoun } from './audit/audit.noun';
import { completionNoun } from './completion/completion.noun';
import { creditRequestNoun } from './credit-request/credit-request.noun';
import { customerNoun } from './customer/customer.noun';
import { invoiceNoun } from './invoice/invoice.noun';
import { secretsNoun } from './secrets/secrets.noun';
import { serviceNoun } from './service/service.noun';
import { smsNoun } from './sms/sms.noun';
import { statusNoun } from './status/status.noun';
import { ticketNoun } from './ticket/ticket.noun';
import { tokenNoun } from './token/token.noun';

/** All commands. */
export const nouns: readonly Noun[] = [
  customerNoun,
  tokenNoun,
  serviceNoun,
  statusNoun,
  auditNoun,
  aiNoun,
  creditRequestNoun,
  invoiceNoun,
  ticketNoun,
  smsNoun,
  secretsNoun,
  completionNoun,
];
