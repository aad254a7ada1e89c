import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import type { AuditService } from '@platform/audit';
import { textFault } from '@platform/errors';
import { CUSTOMER_NAME_MAX, CUSTOMER_NUMBER_MAX } from '../customer-values';
import { Customer } from '../entities/customer.entity';

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2];

/** Whether a text is a Norwegian organisation number: nine digits, the last one a MOD11 check digit. */
export function isOrganizationNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text)) return false;
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(text[index]), 0);
  return (11 - (sum % 11)) % 11 === Number(text[8]);
}

/** A new customer. Without a customer number, it gets the next free one. */
export type NewCustomer = Pick<Customer, 'name' | 'organizationNumber' | 'email'> & { customerNumber?: string };

/** A line of a file of customers. */
export type CustomerLine = NewCustomer & { line: number };

/**
 * Lets one transaction at a time look which customers have an organisation number, and give it to another one. No unique index does it: it
 * could not be made where a company has two customers from before.
 */
export async function lockOrganizationNumbers(manager: EntityManager): Promise<void> {
  await manager.query(`select pg_advisory_xact_lock(hashtextextended('organisation numbers', 0))`);
}

/** Adds a customer within the caller's transaction, with its audit entry. @param kept numbers that others are going to get */
export async function insertCustomer(
  manager: EntityManager,
  audit: AuditService,
  actor: string,
  { customerNumber, ...customer }: NewCustomer,
  kept: ReadonlySet<string> = new Set(),
): Promise<Customer> {
  const id = randomUUID();
  const number = customerNumber ?? (await nextCustomerNumber(manager, kept));
  const { name, organizationNumber, email } = customer;
  await manager.insert(Customer, { id, name, organizationNumber, email, customerNumber: number });
  const metadata = { name, customer_number: number };
  await audit.record(manager, { customerId: id, actor, action: 'customer.create', metadata });
  return manager.findOneByOrFail(Customer, { id });
}

/** Numbers that the operator chose are passed over. */
async function nextCustomerNumber(manager: EntityManager, kept: ReadonlySet<string>): Promise<string> {
  for (;;) {
    const [row] = await manager.query<{ number: string }[]>(`select nextval('customer_number_seq')::text as number`);
    if (!row) throw new Error('The sequence returned no number');
    if (!kept.has(row.number) && !(await manager.existsBy(Customer, { customerNumber: row.number }))) return row.number;
  }
}

/** The fault of the details that are given, for the operator; undefined if there is none. */
type CustomerCheck = (details: Partial<NewCustomer>) => string | undefined;

/** Loads the rules for customers' details: those for addresses bring 300 modules, which no other command waits for. */
export async function loadCustomerCheck(): Promise<CustomerCheck> {
  const { isEmail } = await import('class-validator');
  return ({ name, organizationNumber, email, customerNumber }) => {
    const nameFault = name === undefined ? undefined : textFault(name, { min: 1, max: CUSTOMER_NAME_MAX });
    if (nameFault !== undefined) return `The name ${nameFault}`;
    const numberFault =
      customerNumber === undefined ? undefined : textFault(customerNumber, { min: 1, max: CUSTOMER_NUMBER_MAX });
    if (numberFault !== undefined) return `The customer number ${numberFault}`;
    if (organizationNumber !== undefined && !isOrganizationNumber(organizationNumber)) {
      return `${organizationNumber} is not an organisation number (nine digits, MOD11)`;
    }
    return email === undefined || isEmail(email) ? undefined : `${email} is not an e-mail address`;
  };
}
