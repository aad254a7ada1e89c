import { isOrganizationNumber } from '../organization-number';
import type { NewCustomer } from './new-customer';

/** What is wrong with a new customer, for the operator; undefined if nothing is. */
export type CustomerCheck = (customer: NewCustomer) => string | undefined;

/** Loads the rules for new customers: those for addresses bring 300 modules, which no other command waits for. */
export async function loadCustomerCheck(): Promise<CustomerCheck> {
  const { isEmail } = await import('class-validator');
  return ({ name, organizationNumber, email }) => {
    if (name.trim() === '') return 'A customer needs a name';
    if (!isOrganizationNumber(organizationNumber)) {
      return `${organizationNumber} is not an organisation number (nine digits, MOD11)`;
    }
    return isEmail(email) ? undefined : `${email} is not an e-mail address`;
  };
}
