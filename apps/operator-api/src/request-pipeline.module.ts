import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { RateLimitStorageService } from '@platform/access';
import { AfterBodyGuard, createValidationPipe, HttpModule, ProblemFilter, RequestBodyGuard } from '@platform/http';
import { ReplySealerService } from '@platform/idempotency';
import { OperatorAccountsModule } from '@platform/operator-accounts';
import { OperatorGuard } from './access/operator.guard';
import { KeyedRequestsInterceptor } from './access/keyed-requests.interceptor';
import { RequestPlacesService } from './access/request-places.service';
import { RequestTransactionsService } from './access/request-transactions.service';
import { UnknownOutcomeQueryDto } from './ai/ai-accounting.dto';
import { LedgerQueryDto, UsageQueryDto } from './ai/ai-records.dto';
import { AuditQueryDto } from './audit/audit.dto';
import { CreditRequestQueryDto } from './credit-requests/credit-request.dto';
import { CustomerQueryDto } from './customers/customer.dto';
import { EventLogQueryDto } from './events/event.dto';
import { InvoiceQueryDto } from './invoices/invoice.dto';
import { InvoiceSyncQueryDto } from './invoices/invoice-sync.dto';
import { RefusedRequestQueryDto } from './requests/request.dto';
import { ServiceQueryDto } from './services/service.dto';
import { SmsQueryDto } from './sms/sms.dto';
import { StatusEventQueryDto } from './status/status-event.dto';
import { TicketQueryDto } from './tickets/ticket.dto';
import { TokenQueryDto } from './tokens/token.dto';
import { WebhookDeliveryQueryDto, WebhookEndpointQueryDto } from './webhooks/webhook.dto';

/** The queries of all lists. A list refuses the filters of the others, because it would ignore them. */
const LISTS = [
  ...[
    AuditQueryDto,
    CreditRequestQueryDto,
    CustomerQueryDto,
    EventLogQueryDto,
    InvoiceQueryDto,
    InvoiceSyncQueryDto,
    LedgerQueryDto,
  ],
  ...[RefusedRequestQueryDto, ServiceQueryDto, SmsQueryDto, StatusEventQueryDto, TicketQueryDto, TokenQueryDto],
  ...[UnknownOutcomeQueryDto, UsageQueryDto, WebhookDeliveryQueryDto, WebhookEndpointQueryDto],
];

/**
 * Global guards, interceptor, pipe and filter, in the order in which a request passes them: session, role and origin; body,
 * and the session once more if that took long; Idempotency-Key; validation. The filter turns errors into problems.
 */
@Module({
  imports: [HttpModule, OperatorAccountsModule],
  providers: [
    ...[RequestPlacesService, RateLimitStorageService, ReplySealerService, RequestTransactionsService],
    OperatorGuard,
    { provide: APP_GUARD, useExisting: OperatorGuard },
    { provide: APP_GUARD, useClass: RequestBodyGuard },
    { provide: APP_GUARD, inject: [OperatorGuard], useFactory: (guard: OperatorGuard) => new AfterBodyGuard(guard) },
    { provide: APP_INTERCEPTOR, useClass: KeyedRequestsInterceptor },
    { provide: APP_PIPE, useFactory: () => createValidationPipe(LISTS) },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [HttpModule, OperatorAccountsModule, RateLimitStorageService, RequestPlacesService],
})
export class RequestPipelineModule {}
