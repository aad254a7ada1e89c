import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Observable } from 'rxjs';
import { CustomerContext } from '@app/database';
import { LogContext } from '@app/logging';

/** Runs the rest of the request as the customer that the guard found: its database rows, its log lines. */
@Injectable()
export class CustomerContextInterceptor implements NestInterceptor {
  constructor(private readonly context: CustomerContext) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { id, customer } = execution.switchToHttp().getRequest<FastifyRequest>();
    if (!customer) return next.handle();
    const fields = { request_id: id, customer_id: customer.customerId };
    return new Observable((subscriber) =>
      LogContext.run(fields, () => this.context.run(customer.customerId, () => next.handle().subscribe(subscriber))),
    );
  }
}
