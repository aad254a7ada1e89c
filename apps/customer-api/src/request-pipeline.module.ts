import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AccessModule, BearerGuard, CustomerContextInterceptor, CustomerRateLimitGuard } from '@platform/access';
import {
  createValidationPipe,
  HttpModule,
  IdempotencyInterceptor,
  ProblemFilter,
  RequestBodyGuard,
} from '@platform/http';
import { IdempotencyModule } from '@platform/idempotency';

/**
 * Global guards, interceptors and filters, in the order in which a request passes them: authentication and scope, rate
 * limits, body, customer context with the Idempotency-Key, validation. The filter turns errors into problems.
 */
@Module({
  imports: [AccessModule, HttpModule, IdempotencyModule],
  providers: [
    { provide: APP_GUARD, useClass: BearerGuard },
    { provide: APP_GUARD, useClass: CustomerRateLimitGuard },
    { provide: APP_GUARD, useClass: RequestBodyGuard },
    IdempotencyInterceptor,
    { provide: APP_INTERCEPTOR, useClass: CustomerContextInterceptor },
    { provide: APP_PIPE, useFactory: createValidationPipe },
    { provide: APP_FILTER, useClass: ProblemFilter },
  ],
  exports: [AccessModule, HttpModule],
})
export class RequestPipelineModule {}
