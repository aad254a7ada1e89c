import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, KeysetList } from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { SMS_COLUMNS, type SmsRow } from './sms-view';

const LOG = new KeysetList<SmsRow>({
  name: 'sms.log',
  id: 'uuid',
  query: (after) => `select ${SMS_COLUMNS} from sms_message
    where customer_id = $1 ${after} order by created_at desc, id desc limit $2`,
});

/** The customer's send log. */
@Injectable()
export class SmsLogService {
  constructor(private readonly database: CustomerDatabaseService) {}

  /** A page of the customer's messages, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<SmsRow>> {
    return LOG.read(this.database, page);
  }
}
