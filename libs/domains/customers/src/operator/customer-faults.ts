import { isEmail } from 'class-validator';
import { isOrganizationNumber } from '../organization-number';
import type { NewCustomer } from './new-customer';

/** What is wrong with a new customer, for the operator; undefined if nothing is. */
export function customerFault({ name, organizationNumber, email }: NewCustomer): string | undefined {
  if (name.trim() === '') return 'A customer needs a name';
  if (!isOrganizationNumber(organizationNumber)) {
    return `${organizationNumber} is not an organisation number (nine digits, MOD11)`;
  }
  return isEmail(email) ? undefined : `${email} is not an e-mail address`;
}
