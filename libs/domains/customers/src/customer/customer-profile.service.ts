import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, prepared } from '@platform/database';
import { ServiceError } from '@platform/errors';

const FIND = prepared(
  'customers.profile',
  `select id, name, organization_number, customer_number, email, active, created_at from customer where id = $1`,
);

/** The fields of a customer that the customer sees. */
export interface CustomerProfile {
  id: string;
  name: string;
  organization_number: string;
  customer_number: string;
  email: string;
  active: boolean;
  /** RFC 3339. */
  created_at: string;
}

/** The customer's own profile. */
@Injectable()
export class CustomerProfileService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /** @throws ServiceError not_found */
  async find(): Promise<CustomerProfile> {
    const [row] = await this.database.read<CustomerProfile & Record<string, unknown>>(FIND);
    if (!row) throw new ServiceError('not_found', 'There is no such customer');
    return row;
  }
}
