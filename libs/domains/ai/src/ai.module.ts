import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FairnessModule } from '@platform/fairness';
import { IdempotencyModule } from '@platform/idempotency';
import { SecretsModule } from '@platform/secrets';
import { UpstreamModule } from '@platform/upstream';
import { AiMessagesService } from './customer/messages/ai-messages.service';
import { CallReservationService } from './customer/messages/call-reservation.service';
import { CallResolutionService } from './customer/messages/call-resolution.service';
import { CallsInFlightService } from './customer/messages/calls-in-flight.service';
import { TokenCountsService } from './customer/messages/token-counts.service';
import { AiModelsService } from './customer/ai-models.service';
import { AiModelPrice } from './entities/ai-model-price.entity';
import { AiSettings } from './entities/ai-settings.entity';
import { ProviderKeysService } from './provider-keys/provider-keys.service';
import { CreditLedger } from './ledger/credit-ledger.port';
import { CreditLedgerService } from './ledger/credit-ledger.service';
import { ProcessLivenessModule } from './liveness/process-liveness.module';
import { AiUpstream } from './ports/ai-upstream.port';
import { ProviderOutagesService } from './adapters/messages-api/provider-outages.service';
import { MessagesApiAdapter } from './adapters/messages-api/messages-api.adapter';

/** The AI services of the API: messages that are charged to the customer's credit. */
@Module({
  imports: [
    FairnessModule,
    IdempotencyModule,
    ProcessLivenessModule,
    SecretsModule,
    TypeOrmModule.forFeature([AiModelPrice, AiSettings]),
    UpstreamModule,
  ],
  providers: [
    AiMessagesService,
    AiModelsService,
    CallReservationService,
    CallResolutionService,
    CallsInFlightService,
    { provide: CreditLedger, useClass: CreditLedgerService },
    ProviderKeysService,
    ProviderOutagesService,
    { provide: AiUpstream, useClass: MessagesApiAdapter },
    TokenCountsService,
  ],
  exports: [AiMessagesService, AiModelsService, CallsInFlightService, TokenCountsService],
})
export class AiModule {}
