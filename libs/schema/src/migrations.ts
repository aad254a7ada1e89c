import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  AiCreditEvents1763683201610,
  AiSchema1763683200700,
  AiUsageOfDays1763683203700,
  AiUsageOfTokens1763683201200,
} from '@domains/ai';
import {
  ApprovalInvoiceNumbers1763683205500,
  CreditRequestInbox1763683203100,
  CreditRequestSearch1763683204700,
  CreditRequestsSchema1763683200800,
} from '@domains/credit-requests';
import {
  CustomerInbox1763683203600,
  CustomerSearch1763683204600,
  CustomersSchema1763683200100,
} from '@domains/customers';
import {
  EventInbox1763683203800,
  EventsSchema1763683201600,
  FormerWebhookSecrets1763683206000,
  WebhookAttempts1763683207200,
  WebhookInbox1763683203900,
  WebhooksSchema1763683201700,
} from '@domains/events';
import {
  BillingAccountCompany1763683205600,
  FailingInvoiceSyncs1763683205100,
  InvoiceIds1763683207700,
  InvoiceInbox1763683203300,
  InvoiceNumbersOfCompanies1763683205800,
  InvoiceSearch1763683204800,
  InvoicesSchema1763683200900,
} from '@domains/invoices';
import { ServicesSchema1763683200300, ServiceTypes1763683204300 } from '@domains/services';
import { SmsInbox1763683203400, SmsSchema1763683201000, UnconfirmedSms1763683205700 } from '@domains/sms';
import {
  StatusEnds1763683204900,
  StatusInbox1763683203500,
  StatusSchema1763683200400,
  ToldStatusEvents1763683201620,
} from '@domains/status';
import {
  LastReplies1763683205300,
  SupportSchema1763683200600,
  TicketAssignments1763683201500,
  TicketIds1763683207600,
  TicketInbox1763683203200,
  TicketOrders1763683204100,
  TicketSearch1763683204500,
  UrgentTickets1763683205200,
} from '@domains/support';
import { AuditAuthors1763683204200, AuditSchema1763683200500 } from '@platform/audit';
import type { AppConfig } from '@platform/config';
import {
  BillingZone1763683207300,
  DatabaseSchema1763683200000,
  migrateDatabase,
  type Migrated,
  Outages1763683207100,
  StoredBytesSchema1763683201100,
  Trigrams1763683204400,
} from '@platform/database';
import { IdempotencySchema1763683200550 } from '@platform/idempotency';
import { QUEUE_FUNCTIONS } from '@platform/jobs';
import { Backups1763683201400, ScheduledBackups1763683206100 } from '@platform/maintenance';
import {
  AskedLogins1763683204000,
  IdentityIssuers1763683207000,
  OperatorAccounts1763683203000,
} from '@platform/operator-accounts';
import { RefusedRequests1763683201300 } from '@platform/refusals';
import { TokensSchema1763683200200, ToldTokenExpiries1763683201630 } from '@platform/tokens';
import { type BillingZoneStored, storeBillingZone } from './billing-zone';

/**
 * Every migration, in the order in which they run: each refers only to tables of those above it. Once a version with it is
 * released, a migration is never edited.
 */
export const migrations = [
  DatabaseSchema1763683200000,
  CustomersSchema1763683200100,
  TokensSchema1763683200200,
  ServicesSchema1763683200300,
  StatusSchema1763683200400,
  AuditSchema1763683200500,
  IdempotencySchema1763683200550,
  SupportSchema1763683200600,
  AiSchema1763683200700,
  CreditRequestsSchema1763683200800,
  InvoicesSchema1763683200900,
  SmsSchema1763683201000,
  StoredBytesSchema1763683201100,
  AiUsageOfTokens1763683201200,
  RefusedRequests1763683201300,
  Backups1763683201400,
  TicketAssignments1763683201500,
  EventsSchema1763683201600,
  AiCreditEvents1763683201610,
  ToldStatusEvents1763683201620,
  ToldTokenExpiries1763683201630,
  WebhooksSchema1763683201700,
  OperatorAccounts1763683203000,
  CreditRequestInbox1763683203100,
  TicketInbox1763683203200,
  InvoiceInbox1763683203300,
  SmsInbox1763683203400,
  StatusInbox1763683203500,
  CustomerInbox1763683203600,
  AiUsageOfDays1763683203700,
  EventInbox1763683203800,
  WebhookInbox1763683203900,
  AskedLogins1763683204000,
  TicketOrders1763683204100,
  AuditAuthors1763683204200,
  ServiceTypes1763683204300,
  Trigrams1763683204400,
  TicketSearch1763683204500,
  CustomerSearch1763683204600,
  CreditRequestSearch1763683204700,
  InvoiceSearch1763683204800,
  StatusEnds1763683204900,
  FailingInvoiceSyncs1763683205100,
  UrgentTickets1763683205200,
  LastReplies1763683205300,
  ApprovalInvoiceNumbers1763683205500,
  BillingAccountCompany1763683205600,
  UnconfirmedSms1763683205700,
  InvoiceNumbersOfCompanies1763683205800,
  FormerWebhookSecrets1763683206000,
  ScheduledBackups1763683206100,
  IdentityIssuers1763683207000,
  Outages1763683207100,
  WebhookAttempts1763683207200,
  BillingZone1763683207300,
  TicketIds1763683207600,
  InvoiceIds1763683207700,
];

/**
 * The oldest release whose programs work on this schema: operators can go back to it without a restore. A release that takes
 * away something that an older one uses names its successor here.
 */
const USABLE_FROM = '1.0.0';

/** The version in package.json, which is beside `dist`, in the image too. */
function serviceRelease(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The result of a migration of the service's schema. */
export interface SchemaMigrated extends Migrated {
  /** Nothing, where a later release has stored the billing time zone. */
  billingZone?: BillingZoneStored;
}

/**
 * Brings the service's schema up to date, as the owner that DATABASE_URL names, and stores the billing time zone.
 * @throws UnknownSchemaError when the database is of a version from which there is no way; nothing is changed then. UnfitDatabaseError
 * when AI credit was booked in another billing time zone; the schema is up to date then
 */
export async function migrateSchema(config: AppConfig): Promise<SchemaMigrated> {
  const migrated = await migrateDatabase(config, migrations, {
    release: serviceRelease(),
    usableFrom: USABLE_FROM,
    files: QUEUE_FUNCTIONS,
  });
  // A later release has stored it, and may store it in another way.
  if (migrated.later !== undefined) return migrated;
  return { ...migrated, billingZone: await storeBillingZone(config) };
}
