import { Injectable } from '@nestjs/common';
import { CustomerDatabase, prepared } from '@app/database';
import { decodeCursor, type Page, type PageRequest, paginate } from '@app/pagination';
import type { ServiceStatus } from './customer-service.entity';

const COLUMNS = `id, type, name, status, config, created_at, updated_at`;
const FIRST = prepared(
  'services.first',
  `select ${COLUMNS} from customer_service where customer_id = $1 order by created_at desc, id desc limit $2`,
);
const NEXT = prepared(
  'services.next',
  `select ${COLUMNS} from customer_service where customer_id = $1 and (created_at, id) < ($3::timestamptz, $4::integer)
   order by created_at desc, id desc limit $2`,
);

/** A service as a customer sees it. */
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

/** Customers' reading of their own services. */
@Injectable()
export class CustomerServiceReader {
  constructor(private readonly database: CustomerDatabase) {}

  /** A page of the customer's services, newest first. @throws ServiceError invalid_request for a bad cursor */
  async list(customerId: string, { limit, cursor }: PageRequest): Promise<Page<CustomerServiceRow>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, 'integer');
    const rows = await this.database.read<CustomerServiceRow & Record<string, unknown>>(
      after ? NEXT : FIRST,
      after ? [customerId, limit + 1, after.createdAt, after.id] : [customerId, limit + 1],
    );
    return paginate(
      rows,
      limit,
      ({ created_at, id }) => ({ createdAt: created_at, id: String(id) }),
      (row): CustomerServiceRow => row,
    );
  }
}
