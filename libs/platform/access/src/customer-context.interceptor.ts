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
    const request = execution.switchToHttp().getRequest<RequestWithBody>();
    const { id, customer, bodyLease } = request;
    // A handler may have taken the lease over, for work that goes on after its reply has begun.
    const release = () => request.bodyLease?.release();
    const handle = () => (bodyLease ? next.handle().pipe(finalize(release)) : next.handle());
    if (!customer) return handle();
    // Nest binds the handler to the context in which handle() is called.
    return this.context.run(customer.customerId, handle, id);
  }
}
