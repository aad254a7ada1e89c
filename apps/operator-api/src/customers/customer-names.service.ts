import { Injectable } from '@nestjs/common';
import { CustomerLookupOperatorService, type CustomerName } from '@domains/customers';
import type { InboxPage } from '@platform/pagination';

/** A record with the name of its customer. */
export type OfCustomer<Row> = Row & { customer: CustomerName };

/** Adds the names of their customers to records: people know customers by name. */
@Injectable()
export class CustomerNamesService {
  constructor(private readonly customers: CustomerLookupOperatorService) {}

  /** By id; ids of no customer are left out. */
  namesOf(ids: readonly string[]): Promise<Map<string, CustomerName>> {
    return this.customers.namesOf(ids);
  }

  async addTo<Row extends { customerId: string }>(page: InboxPage<Row>): Promise<InboxPage<OfCustomer<Row>>> {
    const names = await this.customers.namesOf([...new Set(page.items.map(({ customerId }) => customerId))]);
    return page.map((row) => Object.assign(row, { customer: names.get(row.customerId) ?? unnamed(row.customerId) }));
  }

  async addToOne<Row extends { customerId: string }>(row: Row): Promise<OfCustomer<Row>> {
    const names = await this.customers.namesOf([row.customerId]);
    return Object.assign(row, { customer: names.get(row.customerId) ?? unnamed(row.customerId) });
  }
}

/** Records that concern no customer carry the nil UUID. */
function unnamed(id: string): CustomerName {
  return { id, customerNumber: '', name: '' };
}
