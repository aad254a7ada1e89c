import { Injectable } from '@nestjs/common';
import { Any, DataSource } from 'typeorm';
import { containing } from '@platform/database';
import { Customer } from '../entities/customer.entity';
import { unknownCustomer } from './existing-customer';

/** The names of a customer. */
export type CustomerName = Pick<Customer, 'id' | 'customerNumber' | 'name'>;

/** Candidates that an error lists at most. */
const CANDIDATES = 10;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The text may mean several customers, or one with a longer name. */
export class AmbiguousCustomerError extends Error {
  constructor(
    message: string,
    readonly candidates: readonly CustomerName[],
  ) {
    super(message);
  }
}

/** Finds customers by their ids, numbers and names. */
@Injectable()
export class CustomerLookupOperatorService {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The id of the customer with this id, number or whole name, in this order; names in small and capital letters alike.
   * A part of a name is not enough: a command must not concern another customer once there are more of them.
   * @throws ServiceError not_found; AmbiguousCustomerError for a name that several have, and for a part of names
   */
  async idOf(reference: string): Promise<string> {
    const text = reference.trim();
    if (UUID.test(text)) {
      const found = await this.find({ id: text.toLowerCase() });
      if (!found[0]) throw unknownCustomer(text);
      return found[0].id;
    }
    const [numbered] = await this.find({ customerNumber: text });
    if (numbered) return numbered.id;
    const named = await this.where('lower(c.name) = lower(:text)', { text });
    if (named.length === 1 && named[0]) return named[0].id;
    if (named.length > 1)
      throw new AmbiguousCustomerError(`Several customers are called ${text}; give a number:`, named);
    const similar = text === '' ? [] : await this.where('c.name ilike :part', { part: containing(text) });
    if (similar.length === 0) throw unknownCustomer(text);
    throw new AmbiguousCustomerError(`${text} is no customer's number or whole name; did you mean:`, similar);
  }

  /** Numbers and names of customers, by id. Ids of no customer are left out. As one value, of which a statement takes 65,535. */
  async namesOf(ids: readonly string[]): Promise<Map<string, CustomerName>> {
    const known = ids.filter((id) => UUID.test(id));
    const customers = known.length === 0 ? [] : await this.find({ id: Any(known) });
    return new Map(customers.map((customer) => [customer.id, customer]));
  }

  private find(where: object): Promise<CustomerName[]> {
    return this.dataSource.manager.find(Customer, { select: { id: true, customerNumber: true, name: true }, where });
  }

  private where(condition: string, values: Record<string, string>): Promise<CustomerName[]> {
    return this.dataSource.manager
      .createQueryBuilder(Customer, 'c')
      .select(['c.id', 'c.customerNumber', 'c.name'])
      .where(condition, values)
      .orderBy('c.customerNumber')
      .limit(CANDIDATES)
      .getMany();
  }
}
