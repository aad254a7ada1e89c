import { Module } from '@nestjs/common';
import { SecretsModule } from '@app/secrets';
import { UpstreamModule } from '@app/upstream';
import { AiCalendarModule } from './ai-calendar.module';
import { AiGateway } from './gateway/ai-gateway';
import { CallsInFlight } from './gateway/calls-in-flight';
import { GatewayShutdown } from './gateway/gateway-shutdown';
import { KeyRing } from './key-ring';
import { HoldBook } from './ledger/hold-book';
import { LedgerConnections } from './ledger/ledger-connections';
import { AiUpstream } from './upstream/ai-upstream';
import { MessagesApiAdapter } from './upstream/messages-api.adapter';

/** What the API does with AI: messages, paid for from the customer's credit. */
@Module({
  imports: [AiCalendarModule, SecretsModule, UpstreamModule],
  providers: [
    AiGateway,
    CallsInFlight,
    GatewayShutdown,
    HoldBook,
    KeyRing,
    LedgerConnections,
    { provide: AiUpstream, useClass: MessagesApiAdapter },
  ],
  exports: [AiGateway, CallsInFlight],
})
export class AiModule {}
