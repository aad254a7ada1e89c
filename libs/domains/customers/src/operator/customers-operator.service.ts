import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { announceTokenChange, hashRange, isFingerprint } from '@platform/tokens';
import { AuditService } from '@platform/audit';
import { isUniqueViolation, OperatorList, type TextSearch } from '@platform/database';
import { requireChange, ServiceError } from '@platform/errors';
import type { InboxPage, InboxRequest, Listing, ListingRequest } from '@platform/pagination';
import { Customer } from '../entities/customer.entity';
import { insertCustomer, loadCustomerCheck, lockOrganizationNumbers, type NewCustomer } from './new-customer';
import { lockCustomer, unknownCustomer } from './existing-customer';

/** Filters of the list. */
export interface CustomerFilter {
  /** A part of the name, the customer number, the organisation number or the e-mail address; or the fingerprint of a token. */
  search?: string;
  active?: boolean;
}

/** Limits that the operator may set; null resets a limit to the default. */
export type CustomerLimits = Partial<
  Pick<Customer, 'requestsPerMinute' | 'aiPerMinute' | 'smsPerMinute' | 'pendingCreditRequests'>
>;

/** Details that the operator may correct. */
export type CustomerDetails = Partial<Pick<Customer, 'name' | 'email' | 'organizationNumber'>>;

/** The bytes that a customer stored on some days. */
export interface CustomerStorage {
  id: string;
  customerNumber: string;
  name: string;
  /** On all these days. */
  bytes: number;
  /** On the day with most. */
  largestDay: number;
}

/** SQL of a customer `c`: its number and name, in the words of the index of their parts. */
export const NUMBER_AND_NAME = `c.customer_number || ' ' || c.name`;
const OTHER_TEXTS = `c.organization_number || ' ' || c.email`;
const SEARCH: TextSearch = {
  key: 'c.id',
  matches: [`select c.id from customer c where ${NUMBER_AND_NAME} ilike :part or ${OTHER_TEXTS} ilike :part`],
  contains: `strpos(lower(${NUMBER_AND_NAME}), lower(:wanted)) > 0 or strpos(lower(${OTHER_TEXTS}), lower(:wanted)) > 0`,
};

const STORAGE = `
  select c.id, c.customer_number as "customerNumber", c.name, s.bytes::float8 as bytes, s.largest::float8 as "largestDay"
  from (select customer_id, sum(bytes) as bytes, max(bytes) as largest from stored_bytes
        where day > (app.now() at time zone 'UTC')::date - $1::int
        group by customer_id order by sum(bytes) desc, customer_id limit $2) s
  join customer c on c.id = s.customer_id order by s.bytes desc, c.id`;

/**
 * Manages customers for the operator. Every change is audited, and announced to the API processes if tokens depend on
 * it.
 */
@Injectable()
export class CustomersOperatorService {
  private readonly customers: OperatorList<Customer, CustomerFilter>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {
    this.customers = new OperatorList(dataSource, Customer, {
      name: 'customers',
      alias: 'c',
      filters: {
        search: { textSearch: (text) => (isFingerprint(text) ? withToken(text) : SEARCH) },
        active: 'active',
      },
      orders: {
        customer_number: { by: 'c.customerNumber', kind: 'text' },
        name: { by: 'lower(c.name)', kind: 'text' },
        created_at: { by: 'c.createdAt', kind: 'time' },
      },
      listedBy: { by: 'c.customerNumber', kind: 'text' },
    });
  }

  /** Adds a customer. @throws ServiceError invalid_request, also if another one has the organisation number */
  async create(actor: string, customer: NewCustomer): Promise<Customer> {
    const faultOf = await loadCustomerCheck();
    const fault = faultOf(customer);
    if (fault !== undefined) throw new ServiceError('invalid_request', fault);
    try {
      return await this.dataSource.transaction(async (manager) => {
        await refuseHeld(manager, customer.organizationNumber);
        return insertCustomer(manager, this.audit, actor, customer);
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ServiceError('invalid_request', `The customer number ${customer.customerNumber ?? ''} is taken`);
    }
  }

  /** Customers by number, behind the one with the number `after`. */
  list(filter: CustomerFilter, listing: ListingRequest): Promise<Listing<Customer>> {
    return this.customers.list(asStored(filter), listing);
  }

  /** A page of the customers, in the order that the request names; with the number of all. */
  inbox(filter: CustomerFilter, request: InboxRequest): Promise<InboxPage<Customer>> {
    return this.customers.inbox(asStored(filter), request);
  }

  /** One customer. @throws ServiceError not_found */
  async find(id: string): Promise<Customer> {
    const customer = await this.dataSource.manager.findOneBy(Customer, { id });
    if (!customer) throw unknownCustomer(id);
    return customer;
  }

  /** Activates a customer, or deactivates it: then all its tokens are refused. */
  setActive(actor: string, id: string, active: boolean): Promise<Customer> {
    return this.change(actor, id, active ? 'customer.activate' : 'customer.deactivate', { active });
  }

  /** The customers that stored most in tickets, SMS and kept replies during the last days of UTC, at most 31. */
  storage(days: number, limit: number): Promise<CustomerStorage[]> {
    return this.dataSource.query<CustomerStorage[]>(STORAGE, [days, limit]);
  }

  /** Changes a customer's name, e-mail address or organisation number. @throws ServiceError not_found, invalid_request */
  async changeDetails(actor: string, id: string, change: CustomerDetails): Promise<Customer> {
    const given = requireChange(change);
    const faultOf = await loadCustomerCheck();
    await this.find(id);
    const fault = faultOf(given);
    if (fault !== undefined) throw new ServiceError('invalid_request', fault);
    return this.change(actor, id, 'customer.change', given);
  }

  /** Sets limits of a customer; null is that of the service. @throws ServiceError not_found, invalid_request */
  async setLimits(actor: string, id: string, change: CustomerLimits): Promise<Customer> {
    const limits = requireChange(change);
    const { pendingCreditRequests, ...perMinute } = limits;
    if (Object.values(perMinute).some((limit) => limit !== null && limit < 1)) {
      throw new ServiceError(
        'invalid_request',
        'A limit per minute is at least 1; deactivate a customer to shut it out',
      );
    }
    if (typeof pendingCreditRequests === 'number' && pendingCreditRequests < 0) {
      throw new ServiceError('invalid_request', 'The number of pending credit requests is at least 0');
    }
    return this.change(actor, id, 'customer.limits', limits);
  }

  private change(actor: string, id: string, action: string, change: Partial<Customer>): Promise<Customer> {
    return this.dataSource.transaction(async (manager) => {
      if (change.organizationNumber !== undefined) await refuseHeld(manager, change.organizationNumber, id);
      await lockCustomer(manager, id);
      await manager.update(Customer, { id }, { ...change, updatedAt: () => 'app.now()' });
      await announceTokenChange(manager, id);
      await this.audit.record(manager, { customerId: id, actor, action, metadata: { ...change } });
      return manager.findOneByOrFail(Customer, { id });
    });
  }
}

/** An organisation number as letterheads have it. */
const SPACED_NUMBER = /^\d{3} \d{3} \d{3}$/;

/** The filter with an organisation number as it is stored. */
function asStored({ search, ...filter }: CustomerFilter): CustomerFilter {
  return {
    ...filter,
    search: search !== undefined && SPACED_NUMBER.test(search) ? search.replaceAll(' ', '') : search,
  };
}

/** The search for a text that may be the fingerprint of a token. */
function withToken(fingerprint: string): TextSearch {
  const range = hashRange(fingerprint).map((hash) => `'\\x${hash.toString('hex')}'`);
  const tokens = `select k.customer_id from service_token k where k.token_hash between ${range.join(' and ')}`;
  return { ...SEARCH, matches: [...SEARCH.matches, tokens], contains: `${SEARCH.contains} or c.id in (${tokens})` };
}

/**
 * Two customers of one company are most likely one that was added twice. Until the transaction ends, no other one gives the number to a
 * customer. @throws ServiceError invalid_request
 */
async function refuseHeld(manager: EntityManager, organizationNumber: string, except?: string): Promise<void> {
  await lockOrganizationNumbers(manager);
  const others = { organizationNumber, erasedAt: IsNull(), ...(except !== undefined && { id: Not(except) }) };
  const holder = await manager.findOneBy(Customer, others);
  if (!holder) return;
  const { customerNumber, name } = holder;
  throw new ServiceError(
    'invalid_request',
    `The organisation number ${organizationNumber} is that of customer ${customerNumber}, ${name}`,
  );
}
