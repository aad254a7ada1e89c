import type { Noun } from './command';
import { accountNoun } from './account';
import { aiNoun } from './ai';
import { auditNoun } from './audit';
import { completionNoun } from './completion';
import { creditRequestNoun } from './credit-request';
import { customerNoun } from './customer';
import { doctorNoun } from './doctor';
import { eventNoun } from './event';
import { invoiceNoun } from './invoice';
import { requestNoun } from './request';
import { secretsNoun } from './secrets';
import { serviceNoun } from './service';
import { smsNoun } from './sms';
import { statusNoun } from './status';
import { ticketNoun } from './ticket';
import { tokenNoun } from './token';
import { webhookNoun } from './webhook';

/** All commands. */
export const nouns: readonly Noun[] = [
  customerNoun,
  tokenNoun,
  serviceNoun,
  statusNoun,
  auditNoun,
  accountNoun,
  aiNoun,
  creditRequestNoun,
  invoiceNoun,
  ticketNoun,
  smsNoun,
  eventNoun,
  webhookNoun,
  requestNoun,
  secretsNoun,
  doctorNoun,
  completionNoun,
];
