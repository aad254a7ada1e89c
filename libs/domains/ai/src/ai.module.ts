import { Module } from '@nestjs/common';
import { SecretsModule } from '@platform/secrets';
import { UpstreamModule } from '@platform/upstream';
import { AiMessagesService } from './customer/messages/ai-messages.service';
import { CallResolutionService } from './customer/messages/call-resolution.service';
import { CallsInFlightService } from './customer/messages/calls-in-flight.service';
import { DrainCallsService } from './customer/messages/drain-calls.service';
import { UncoveredUsageService } from './customer/messages/uncovered-usage.service';
import { ProviderKeysService } from './provider-keys/provider-keys.service';
import { BatchedLedgerService } from './ledger/batched/batched-ledger.service';
import { CallSettingsService } from './ledger/calls/call-settings.service';
import { CreditLedger } from './ledger/credit-ledger.port';
import { CreditLedgerService } from './ledger/credit-ledger.service';
import { LedgerConnectionsService } from './ledger/ledger-connections.service';
import { PerCustomerLedgerService } from './ledger/per-customer/per-customer-ledger.service';
import { ProcessLivenessModule } from './liveness/process-liveness.module';
import { AiUpstream } from './ports/ai-upstream.port';
import { MessagesApiAdapter } from './adapters/messages-api/messages-api.adapter';

/** The AI services of the API: messages that are charged to the customer's credit. */
@Module({
  imports: [ProcessLivenessModule, SecretsModule, UpstreamModule],
  providers: [
    AiMessagesService,
    CallResolutionService,
    CallsInFlightService,
    BatchedLedgerService,
    CallSettingsService,
    { provide: CreditLedger, useClass: CreditLedgerService },
    DrainCallsService,
    PerCustomerLedgerService,
    ProviderKeysService,
    LedgerConnectionsService,
    UncoveredUsageService,
    { provide: AiUpstream, useClass: MessagesApiAdapter },
  ],
  exports: [AiMessagesService, CallsInFlightService],
})
export class AiModule {}
