import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccessModule, CustomerContextInterceptor, RateLimitGuard, RouteAccessGuard } from '@platform/access';
import {
  AfterBodyGuard,
  createValidationPipe,
  HttpModule,
  KeyedRequestsService,
  ProblemFilter,
  RequestBodyGuard,
} from '@platform/http';
import { IdempotencyModule } from '@platform/idempotency';
import { AiLedgerQueryDto } from './ai-usage/ai-ledger.dto';
import { AiReceiptQueryDto } from './ai-usage/ai-receipt.dto';
import { AiUsageSummaryQueryDto } from './ai-usage/ai-usage-summary.dto';
import { CreditRequestQueryDto } from './credit-requests/credit-request.dto';
import { EventQueryDto } from './events/event-query.dto';
import { InvoiceQueryDto } from './invoices/invoice.dto';
import { ServiceQueryDto } from './services/service.dto';
import { SmsQueryDto } from './sms/sms.dto';
import { StatusQueryDto } from './status/service-status.dto';
import { TicketQueryDto } from './support/ticket.dto';
import { WebhookDeliveryQueryDto, WebhookEndpointQueryDto } from './webhooks/webhook.dto';

/** The queries of all lists. A list refuses the filters of the others, because it would ignore them. */
export const LISTS = [
  AiLedgerQueryDto,
  AiReceiptQueryDto,
  AiUsageSummaryQueryDto,
  CreditRequestQueryDto,
  EventQueryDto,
  InvoiceQueryDto,
  ServiceQueryDto,
  SmsQueryDto,
  StatusQueryDto,
  TicketQueryDto,
  WebhookDeliveryQueryDto,
  WebhookEndpointQueryDto,
];

/**
 * Global guards, interceptors and filters, in the order in which a request passes them: authentication and scope, rate
 * limits, body, the access once more if that took long, customer context with the Idempotency-Key, validation. The filter turns
 * errors into problems.
 */
@Module({
  imports: [AccessModule, HttpModule, IdempotencyModule],
  providers: [
    RouteAccessGuard,
    { provide: APP_GUARD, useExisting: RouteAccessGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    { provide: APP_GUARD, useClass: RequestBodyGuard },
    {
      provide: APP_GUARD,
      inject: [RouteAccessGuard],
      useFactory: (guard: RouteAccessGuard) => new AfterBodyGuard(guard),
    },
    KeyedRequestsService,
    { provide: APP_INTERCEPTOR, useClass: CustomerContextInterceptor },
    { provide: APP_PIPE, useFactory: () => createValidationPipe(LISTS) },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [AccessModule, HttpModule],
})
export class RequestPipelineModule {}
