import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, KeysetList } from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import type { ServiceStatus } from '../entities/customer-service.entity';

const LIST = new KeysetList<CustomerServiceRow>({
  name: 'services.list',
  id: 'integer',
  query: (after) => `select id, type, name, status, config, created_at, updated_at from customer_service
    where customer_id = $1 ${after} order by created_at desc, id desc limit $2`,
});

/** The fields of a service that the customer sees. */
export interface CustomerServiceRow {
  id: number;
  type: string;
  name: string;
  status: ServiceStatus;
  config: Record<string, unknown>;
  /** RFC 3339. */
  created_at: string;
  updated_at: string;
}

/** The customer's own services. */
@Injectable()
export class ServicesService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /** A page of the customer's services, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<CustomerServiceRow>> {
    return LIST.read(this.database, page);
  }
}
