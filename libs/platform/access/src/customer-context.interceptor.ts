import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { finalize, type Observable } from 'rxjs';
import { CustomerContextService } from '@platform/context';
import type { RequestWithBody } from '@platform/http';

/**
 * Runs the rest of the request in the context of the authenticated customer: every statement on a customer's rows and
 * every log line takes the customer from it. At the end, the memory of the request's body is released, even if the
 * client has disconnected.
 */
@Injectable()
export class CustomerContextInterceptor implements NestInterceptor {
  constructor(private readonly context: CustomerContextService) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { id, customer, bodyLease } = execution.switchToHttp().getRequest<RequestWithBody>();
    const handle = () => (bodyLease ? next.handle().pipe(finalize(() => bodyLease.release())) : next.handle());
    if (!customer) return handle();
    // Nest binds the handler to the context in which handle() is called.
    return this.context.run(customer.customerId, handle, id);
  }
}
