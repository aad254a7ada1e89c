import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { finalize, Observable } from 'rxjs';
import { CustomerContextService } from '@platform/database';
import type { RequestWithBody } from '@platform/http';
import { LogContext } from '@platform/logging';

/**
 * Runs the rest of the request as the customer that the guard found: its database rows, its log lines. When it is done,
 * with or without a caller who still listens, the memory of its body is given back.
 */
@Injectable()
export class CustomerContextInterceptor implements NestInterceptor {
  constructor(private readonly context: CustomerContextService) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { id, customer, bodyLease } = execution.switchToHttp().getRequest<RequestWithBody>();
    const handle = () => (bodyLease ? next.handle().pipe(finalize(() => bodyLease.release())) : next.handle());
    if (!customer) return handle();
    const fields = { request_id: id, customer_id: customer.customerId };
    // Called as the customer: what handles the request keeps the context it was called in.
    return new Observable((subscriber) =>
      LogContext.run(fields, () => this.context.run(customer.customerId, () => handle().subscribe(subscriber))),
    );
  }
}
