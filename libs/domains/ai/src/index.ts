export { AiModule } from './ai.module';
export { AiOverviewModule } from './ai-overview.module';
export { AiUsageModule } from './usage/ai-usage.module';
export { AiReceiptsService, type Receipt, type ReceiptFilter } from './usage/ai-receipts.service';
export {
  AiUsageSummaryService,
  NO_TOKEN,
  USAGE_GROUPS,
  type UsageGroup,
  type UsageSum,
  type UsageSummary,
  type UsageSummaryFilter,
} from './usage/ai-usage-summary.service';
export { AiLedgerEntriesService, type LedgerEntry, type LedgerFilter } from './usage/ai-ledger-entries.service';
export {
  CREDIT_NOTE_MAX,
  CREDIT_THRESHOLDS_MAX,
  PROVIDER_KEY_MAX,
  providerKeyFault,
  THRESHOLD_PERCENTS,
  thresholdsFault,
} from './ai-values';
export { AiOperatorModule } from './ai-operator.module';
export { AiAccount } from './entities/ai-account.entity';
export { AiReservation } from './entities/ai-reservation.entity';
export { AiLedgerEntry, LEDGER_KINDS, type LedgerKind } from './entities/ai-ledger-entry.entity';
export { AiModelPrice } from './entities/ai-model-price.entity';
export { AiSettings } from './entities/ai-settings.entity';
export { AiUsage } from './entities/ai-usage.entity';
export { AiUsageDay } from './entities/ai-usage-day.entity';
export { type AiModel, AiModelsService } from './customer/ai-models.service';
export {
  type AiAnswer,
  type AiCaller,
  AiMessagesService,
  type AnswerForm,
  type StreamedAnswer,
} from './customer/messages/ai-messages.service';
export { type AiOverview, AiOverviewService, type AiStatus } from './customer/ai-overview.service';
export { type PendingCreditRequest, PendingCreditRequestsPort } from './ports/pending-credit-requests.port';
export { TokenCountsService } from './customer/messages/token-counts.service';
export { CallsInFlightService } from './customer/messages/calls-in-flight.service';
export {
  PLAIN_FIELDS,
  PROVIDER_FIELDS,
  PROVIDER_TOOLS,
  type RequestFields,
  SDK_FIELDS,
} from './customer/message-request/request-fields';
export { type MessageRequest, MessageRequestReader } from './customer/message-request/message-request-reader';
export {
  AI_FAULTS,
  type AiFault,
  AiConfigurationOperatorService,
  type AiConfigurationChange,
  type AiConfigurationView,
} from './operator/ai-configuration-operator.service';
export { type CreditChange, AiCreditOperatorService } from './operator/ai-credit-operator.service';
export { LedgerRetentionService } from './worker/ledger-retention.service';
export { type CreditHealth, CreditHealthService } from './health/credit-health.service';
export { AiMaintenanceService } from './worker/ai-maintenance.service';
export { CreditLedger, type ReservationRequest, type TokenUsage } from './ledger/credit-ledger.port';
export { CreditLedgerService } from './ledger/credit-ledger.service';
export { ProcessHeartbeatService } from './liveness/process-heartbeat.service';
export { ProcessLivenessModule } from './liveness/process-liveness.module';
export {
  countUnreadableKeys,
  type KeyReencryption,
  ProviderKeysOperatorService,
} from './operator/provider-keys-operator.service';
export {
  AiAccountingOperatorService,
  type AccountingMonth,
  type UsageOfDay,
} from './operator/ai-accounting-operator.service';
export {
  AiPricesOperatorService,
  type ListedAiPrice,
  type OfferedModel,
  type NewAiPrice,
} from './operator/ai-prices-operator.service';
export { AiUsageOperatorService, type CallOfRequest, type CountedPage } from './operator/ai-usage-operator.service';
export {
  type RequestOutcome,
  RequestOutcomesOperatorService,
  type RequestQuestion,
} from './operator/request-outcomes-operator.service';
export { AiVerificationOperatorService, type LedgerProblem } from './operator/ai-verification-operator.service';
export { AiSchema1763683200700 } from './migrations/1763683200700-ai';
export { AiUsageOfTokens1763683201200 } from './migrations/1763683201200-ai-usage-of-tokens';
export { AiCreditEvents1763683201610 } from './migrations/1763683201610-ai-credit-events';
export { AiUsageOfDays1763683203700 } from './migrations/1763683203700-ai-usage-of-days';
export { providerSettings } from './provider-keys/provider-settings';
