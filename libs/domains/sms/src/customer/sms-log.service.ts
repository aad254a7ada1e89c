import { Injectable } from '@nestjs/common';
import { CustomerDatabaseService, EntityReadsService, type KeysetList } from '@platform/database';
import type { Page, PageRequest } from '@platform/pagination';
import { SmsMessage } from '../entities/sms-message.entity';
import { SMS, type SmsRow } from './sms-view';

/** The customer's own messages. */
@Injectable()
export class SmsLogService {
  private readonly log: KeysetList<SmsRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    this.log = reads.list(SmsMessage, { name: 'sms.log', select: SMS });
  }

  /** A page of the customer's messages, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest): Promise<Page<SmsRow>> {
    return this.database.page(this.log, page);
  }
}
