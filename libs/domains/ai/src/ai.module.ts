import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '@platform/idempotency';
import { SecretsModule } from '@platform/secrets';
import { UpstreamModule } from '@platform/upstream';
import { AbandonedCallsService } from './customer/messages/abandoned-calls.service';
import { AiMessagesService } from './customer/messages/ai-messages.service';
import { CallReservationService } from './customer/messages/call-reservation.service';
import { CallResolutionService } from './customer/messages/call-resolution.service';
import { CallsInFlightService } from './customer/messages/calls-in-flight.service';
import { DrainCallsService } from './customer/messages/drain-calls.service';
import { FailedCallsService } from './customer/messages/failed-calls.service';
import { MessageStreamsService } from './customer/messages/stream/message-streams.service';
import { UpstreamCallsService } from './customer/messages/upstream-calls.service';
import { AiModelsService } from './customer/model/ai-models.service';
import { CountTokensService } from './customer/model/count-tokens.service';
import { AiModelPrice } from './entities/ai-model-price.entity';
import { AiSettings } from './entities/ai-settings.entity';
import { ChargeMetricsService } from './customer/messages/metrics/charge-metrics.service';
import { UncoveredUsageService } from './customer/messages/uncovered-usage.service';
import { ProviderKeysService } from './provider-keys/provider-keys.service';
import { BatchedLedgerService } from './ledger/batched/batched-ledger.service';
import { CallSettingsService } from './ledger/calls/call-settings.service';
import { CreditLedger } from './ledger/credit-ledger.port';
import { CreditLedgerService } from './ledger/credit-ledger.service';
import { LedgerConnectionsService } from './ledger/ledger-connections.service';
import { CustomerStatementsService } from './ledger/per-customer/customer-statements.service';
import { PerCustomerLedgerService } from './ledger/per-customer/per-customer-ledger.service';
import { ProcessLivenessModule } from './liveness/process-liveness.module';
import { AiUpstream } from './ports/ai-upstream.port';
import { MessagesApiAdapter } from './adapters/messages-api/messages-api.adapter';

/** The AI services of the API: messages that are charged to the customer's credit. */
@Module({
  imports: [
    IdempotencyModule,
    ProcessLivenessModule,
    SecretsModule,
    TypeOrmModule.forFeature([AiModelPrice, AiSettings]),
    UpstreamModule,
  ],
  providers: [
    AbandonedCallsService,
    AiMessagesService,
    AiModelsService,
    CallReservationService,
    CallResolutionService,
    CallsInFlightService,
    BatchedLedgerService,
    CallSettingsService,
    CountTokensService,
    CustomerStatementsService,
    { provide: CreditLedger, useClass: CreditLedgerService },
    DrainCallsService,
    FailedCallsService,
    MessageStreamsService,
    PerCustomerLedgerService,
    ProviderKeysService,
    LedgerConnectionsService,
    UncoveredUsageService,
    ChargeMetricsService,
    UpstreamCallsService,
    { provide: AiUpstream, useClass: MessagesApiAdapter },
  ],
  exports: [AiMessagesService, AiModelsService, CallsInFlightService, CountTokensService],
})
export class AiModule {}
