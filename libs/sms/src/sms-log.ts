import { Injectable } from '@nestjs/common';
import { CustomerDatabase, prepared } from '@app/database';
import { decodeCursor, type Page, type PageRequest, paginate } from '@app/pagination';
import { SMS_COLUMNS, type SmsRow } from './sms-view';

const QUERY = (after: string) => `select ${SMS_COLUMNS} from sms_message
   where customer_id = $1 ${after} order by created_at desc, id desc limit $2`;
const FIRST = prepared('sms.first', QUERY(''));
const NEXT = prepared('sms.next', QUERY('and (created_at, id) < ($3::timestamptz, $4::uuid)'));

/** What a customer has sent. */
@Injectable()
export class SmsLog {
  constructor(private readonly database: CustomerDatabase) {}

  /** A page of the customer's messages, newest first. @throws ServiceError invalid_request for a bad cursor */
  async list(customerId: string, { limit, cursor }: PageRequest): Promise<Page<SmsRow>> {
    const after = cursor === undefined ? undefined : decodeCursor(cursor, 'uuid');
    const rows = await this.database.read<SmsRow & Record<string, unknown>>(
      after ? NEXT : FIRST,
      after ? [customerId, limit + 1, after.createdAt, after.id] : [customerId, limit + 1],
    );
    return paginate(
      rows,
      limit,
      ({ created_at, id }) => ({ createdAt: created_at, id }),
      (row): SmsRow => row,
    );
  }
}
