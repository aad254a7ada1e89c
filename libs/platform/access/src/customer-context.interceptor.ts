import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { finalize, Observable } from 'rxjs';
import { CustomerContextService } from '@platform/context';
import type { RequestWithBody } from '@platform/http';

/**
 * Runs the rest of the request as the customer that the guard found: every statement on a customer's rows and every log
 * line takes the customer from this context. When it is done, with or without a caller who still listens, the memory of
 * its body is given back.
 */
@Injectable()
export class CustomerContextInterceptor implements NestInterceptor {
  constructor(private readonly context: CustomerContextService) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { id, customer, bodyLease } = execution.switchToHttp().getRequest<RequestWithBody>();
    const handle = () => (bodyLease ? next.handle().pipe(finalize(() => bodyLease.release())) : next.handle());
    if (!customer) return handle();
    // Called as the customer: what handles the request keeps the context it was called in.
    return new Observable((subscriber) =>
      this.context.run(customer.customerId, () => handle().subscribe(subscriber), id),
    );
  }
}
