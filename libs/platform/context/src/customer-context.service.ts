import { Injectable } from '@nestjs/common';
import { ClsService } from 'nestjs-cls';
import type { WorkContext } from './work-context';

/**
 * The customer on whose behalf the present code runs. Set once, from the bearer token (or by a job that works through
 * the customers), and read by everything that touches a customer's rows; nothing a client sends reaches it.
 */
@Injectable()
export class CustomerContextService {
  constructor(private readonly cls: ClsService<WorkContext>) {}

  /**
   * Runs `work`, and all that it awaits, as the customer with this id (a UUID).
   * @param requestId the request that asks for it; its log lines carry the id.
   */
  run<T>(customerId: string, work: () => T, requestId?: string): T {
    return this.cls.runWith({ customerId, requestId }, work);
  }

  /** The customer's id. @throws if there is none: customer data is never touched without one. */
  get customerId(): string {
    const context = this.cls.get() as WorkContext | undefined;
    if (context?.customerId === undefined) throw new Error('No customer in context');
    return context.customerId;
  }
}
