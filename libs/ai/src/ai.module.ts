import { Module } from '@nestjs/common';
import { SecretsModule } from '@app/secrets';
import { UpstreamModule } from '@app/upstream';
import { AiGateway } from './gateway/ai-gateway';
import { CallResolution } from './gateway/call-resolution.service';
import { CallsInFlight } from './gateway/calls-in-flight';
import { GatewayShutdown } from './gateway/gateway-shutdown';
import { UncoveredUsage } from './gateway/uncovered-usage.service';
import { KeyRing } from './key-ring';
import { CreditLedger } from './ledger/credit-ledger.service';
import { LedgerConnections } from './ledger/ledger-connections';
import { ProcessLivenessModule } from './process-liveness.module';
import { AiUpstream } from './upstream/ai-upstream';
import { MessagesApiAdapter } from './upstream/messages-api.adapter';

/** What the API does with AI: messages, paid for from the customer's credit. */
@Module({
  imports: [ProcessLivenessModule, SecretsModule, UpstreamModule],
  providers: [
    AiGateway,
    CallResolution,
    CallsInFlight,
    CreditLedger,
    GatewayShutdown,
    KeyRing,
    LedgerConnections,
    UncoveredUsage,
    { provide: AiUpstream, useClass: MessagesApiAdapter },
  ],
  exports: [AiGateway, CallsInFlight],
})
export class AiModule {}
