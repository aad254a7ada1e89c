import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, EntityReadsService, type ReadRow, type ReadStatement } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { Customer } from '../entities/customer.entity';

const SHOWN = ['id', 'name', 'organizationNumber', 'customerNumber', 'email', 'active', 'createdAt'] as const;

/** The fields of a customer that the customer sees. */
export type CustomerProfile = ReadRow<Customer, (typeof SHOWN)[number]>;

/** The customer's own profile. */
@Injectable()
export class CustomerProfileService {
  private readonly profile: ReadStatement<CustomerProfile>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    this.profile = reads.find(Customer, { name: 'customers.profile', select: SHOWN, by: ['id'] });
  }

  /** @throws ServiceError not_found */
  async find(): Promise<CustomerProfile> {
    const [profile] = await this.database.read(this.profile);
    if (!profile) throw new ServiceError('not_found', 'There is no such customer');
    return profile;
  }
}
