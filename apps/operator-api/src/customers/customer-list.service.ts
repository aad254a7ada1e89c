import { Injectable } from '@nestjs/common';
import { AiAccountingOperatorService } from '@domains/ai';
import { type Customer, CustomersOperatorService } from '@domains/customers';
import { jsonAmount } from '@platform/money';
import type { InboxPage, InboxRequest } from '@platform/pagination';

/** A customer with what it has spent this month. */
export interface ListedCustomer {
  customer: Customer;
  spentNok: number;
}

/** The list of customers, with figures of other domains. */
@Injectable()
export class CustomerListService {
  constructor(
    private readonly customers: CustomersOperatorService,
    private readonly accounting: AiAccountingOperatorService,
  ) {}

  async page(filter: { search?: string; active?: boolean }, request: InboxRequest): Promise<InboxPage<ListedCustomer>> {
    const page = await this.customers.inbox(filter, request);
    const spent = await this.accounting.spentThisMonth(page.items.map(({ id }) => id));
    return page.map((customer) => ({ customer, spentNok: jsonAmount(spent.get(customer.id) ?? '0') }));
  }
}
