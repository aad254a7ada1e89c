import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import {
  AccessModule,
  AiEnabledGuard,
  BearerGuard,
  CustomerContextInterceptor,
  CustomerRateLimitGuard,
  ScopeGuard,
} from '@platform/access';
import {
  createValidationPipe,
  HttpModule,
  IdempotencyInterceptor,
  combineInterceptors,
  ProblemFilter,
  RequestBodyGuard,
} from '@platform/http';
import { IdempotencyModule } from '@platform/idempotency';

/**
 * Global guards, interceptors and filters, in the order in which a request passes them: authentication, scope, rate
 * limits, AI enabled, body, customer context, Idempotency-Key, validation. The filter turns errors into problems.
 */
@Module({
  imports: [AccessModule, HttpModule, IdempotencyModule],
  providers: [
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_GUARD, useClass: CustomerRateLimitGuard },
    { provide: APP_GUARD, useClass: AiEnabledGuard },
    { provide: APP_GUARD, useClass: RequestBodyGuard },
    CustomerContextInterceptor,
    IdempotencyInterceptor,
    {
      provide: APP_INTERCEPTOR,
      inject: [CustomerContextInterceptor, IdempotencyInterceptor],
      useFactory: combineInterceptors,
    },
    { provide: APP_PIPE, useFactory: createValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [AccessModule, HttpModule],
})
export class RequestPipelineModule {}
