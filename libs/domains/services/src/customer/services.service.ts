import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, EntityReadsService, type KeysetList, type ReadRow } from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { CustomerServiceEntity, type ServiceStatus } from '../entities/customer-service.entity';

const SHOWN = ['id', 'type', 'name', 'status', 'config', 'createdAt', 'updatedAt'] as const;

/** The fields of a service that the customer sees. */
export type CustomerServiceRow = ReadRow<CustomerServiceEntity, (typeof SHOWN)[number]>;

/** The customer's own services. */
@Injectable()
export class ServicesService {
  private readonly services: KeysetList<CustomerServiceRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    this.services = reads.list(CustomerServiceEntity, {
      name: 'services.list',
      select: SHOWN,
      filters: [{ property: 'status', operator: '=' }],
    });
  }

  /** A page of the customer's services, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest, status?: ServiceStatus): Promise<Page<CustomerServiceRow>> {
    return this.database.page(this.services, page, [status]);
  }
}
