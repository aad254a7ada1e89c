import { Foundation1763683200000 } from './1763683200000-foundation';
import { Customer1763683210000 } from './1763683210000-customer';
import { ServiceToken1763683220000 } from './1763683220000-service-token';
import { CustomerService1763683230000 } from './1763683230000-customer-service';
import { StatusEvent1763683240000 } from './1763683240000-status-event';
import { AuditLog1763683250000 } from './1763683250000-audit-log';
import { ScheduledJob1763683260000 } from './1763683260000-scheduled-job';
import { AiModelPrice1763683300000 } from './1763683300000-ai-model-price';
import { AiAccount1763683310000 } from './1763683310000-ai-account';
import { AiHold1763683320000 } from './1763683320000-ai-hold';
import { AiUsage1763683330000 } from './1763683330000-ai-usage';
import { AiLedgerEntry1763683340000 } from './1763683340000-ai-ledger-entry';
import { AiMonthFunctions1763683350000 } from './1763683350000-ai-month-functions';
import { AiHoldFunctions1763683360000 } from './1763683360000-ai-hold-functions';
import { AiSettleFunction1763683370000 } from './1763683370000-ai-settle-function';
import { AiCreditFunction1763683380000 } from './1763683380000-ai-credit-function';
import { AiCreditRequest1763683390000 } from './1763683390000-ai-credit-request';
import { Invoice1763683400000 } from './1763683400000-invoice';
import { BillingAccount1763683410000 } from './1763683410000-billing-account';
import { SupportTicket1763683420000 } from './1763683420000-support-ticket';
import { Sms1763683430000 } from './1763683430000-sms';
import { InvoiceSyncedAt1763683440000 } from './1763683440000-invoice-synced-at';
import { AiLedgerForBatches1763683450000 } from './1763683450000-ai-ledger-for-batches';
import { AiHoldFunctionsForBatches1763683460000 } from './1763683460000-ai-hold-functions-for-batches';
import { AiSettleFunctionForBatches1763683470000 } from './1763683470000-ai-settle-function-for-batches';
import { PinnedSearchPaths1763683600000 } from './1763683600000-pinned-search-paths';
import { Clock1763683610000 } from './1763683610000-clock';
import { TokensByDatabaseClock1763683620000 } from './1763683620000-tokens-by-database-clock';
import { WritesInOneStatement1763683630000 } from './1763683630000-writes-in-one-statement';
import { ProcessLiveness1763683700000 } from './1763683700000-process-liveness';
import { AiReservations1763683710000 } from './1763683710000-ai-reservations';
import { AiLedgerFunctions1763683720000 } from './1763683720000-ai-ledger-functions';
import { CreditRequestLock1763683730000 } from './1763683730000-credit-request-lock';
import { DropScheduledJob1763683800000 } from './1763683800000-drop-scheduled-job';
import { InvoiceSyncRuns1763683810000 } from './1763683810000-invoice-sync-runs';
import { BillingAccountRead1763683820000 } from './1763683820000-billing-account-read';
import { InvoiceNumber1763683900000 } from './1763683900000-invoice-number';
import { SmsPermissions1763683910000 } from './1763683910000-sms-permissions';
import { AiEnabledWithToken1763684000000 } from './1763684000000-ai-enabled-with-token';
import { AiLedgerFunctionsAudited1763684010000 } from './1763684010000-ai-ledger-functions-audited';

/** Every migration, oldest first. A migration that has run anywhere is never edited. */
export const migrations = [
  Foundation1763683200000,
  Customer1763683210000,
  ServiceToken1763683220000,
  CustomerService1763683230000,
  StatusEvent1763683240000,
  AuditLog1763683250000,
  ScheduledJob1763683260000,
  AiModelPrice1763683300000,
  AiAccount1763683310000,
  AiHold1763683320000,
  AiUsage1763683330000,
  AiLedgerEntry1763683340000,
  AiMonthFunctions1763683350000,
  AiHoldFunctions1763683360000,
  AiSettleFunction1763683370000,
  AiCreditFunction1763683380000,
  AiCreditRequest1763683390000,
  Invoice1763683400000,
  BillingAccount1763683410000,
  SupportTicket1763683420000,
  Sms1763683430000,
  InvoiceSyncedAt1763683440000,
  AiLedgerForBatches1763683450000,
  AiHoldFunctionsForBatches1763683460000,
  AiSettleFunctionForBatches1763683470000,
  PinnedSearchPaths1763683600000,
  Clock1763683610000,
  TokensByDatabaseClock1763683620000,
  WritesInOneStatement1763683630000,
  ProcessLiveness1763683700000,
  AiReservations1763683710000,
  AiLedgerFunctions1763683720000,
  CreditRequestLock1763683730000,
  DropScheduledJob1763683800000,
  InvoiceSyncRuns1763683810000,
  BillingAccountRead1763683820000,
  InvoiceNumber1763683900000,
  SmsPermissions1763683910000,
  AiEnabledWithToken1763684000000,
  AiLedgerFunctionsAudited1763684010000,
];
