import { Injectable } from '@nestjs/common';
import { CustomerDatabase, prepared } from '@app/database';
import { decodeCursor, type Page, type PageRequest, paginate } from '@app/pagination';
import { SMS_COLUMNS, type SmsRecord, type SmsRow, toSmsRecord } from './sms-log-record';

/** The row with its place in the list to the microsecond, which a Date would lose. */
type PlacedRow = SmsRow & { place: string };

const FIRST_PAGE = prepared(
  'sms.log',
  `select ${SMS_COLUMNS}, created_at::text as place from sms_message
   where customer_id = $1 order by created_at desc, id desc limit $2`,
);
const NEXT_PAGE = prepared(
  'sms.log-after',
  `select ${SMS_COLUMNS}, created_at::text as place from sms_message
   where customer_id = $1 and (created_at, id) < ($3::timestamptz, $4::uuid) order by created_at desc, id desc limit $2`,
);

/** What a customer has sent. */
@Injectable()
export class SmsLog {
  constructor(private readonly database: CustomerDatabase) {}

  /** The customer's messages, newest first. @throws ServiceError invalid_request for a cursor that is none. */
  async list(customerId: string, { limit, cursor }: PageRequest): Promise<Page<SmsRecord>> {
    const rows = await this.read(customerId, limit, cursor);
    return paginate(rows, limit, ({ place, id }) => ({ createdAt: place, id }), toSmsRecord);
  }

  private read(customerId: string, limit: number, cursor?: string): Promise<PlacedRow[]> {
    if (cursor === undefined) return this.database.read<PlacedRow>(FIRST_PAGE, [customerId, limit + 1]);
    const { createdAt, id } = decodeCursor(cursor, 'uuid');
    return this.database.read<PlacedRow>(NEXT_PAGE, [customerId, limit + 1, createdAt, id]);
  }
}
