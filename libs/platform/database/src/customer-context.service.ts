import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';

/**
 * The customer on whose behalf the present code runs. Set once, from the bearer token (or by a job that works through
 * the customers), and read by everything that opens a customer-scoped connection; nothing a client sends reaches it.
 */
@Injectable()
export class CustomerContextService {
  private readonly storage = new AsyncLocalStorage<string>();

  /** Runs `work`, and all that it awaits, as the customer with this id (a UUID). */
  run<T>(customerId: string, work: () => T): T {
    return this.storage.run(customerId, work);
  }

  /** The customer's id. @throws if there is none: customer data is never touched without one. */
  get customerId(): string {
    const customerId = this.storage.getStore();
    if (customerId === undefined) throw new Error('No customer in context');
    return customerId;
  }
}
