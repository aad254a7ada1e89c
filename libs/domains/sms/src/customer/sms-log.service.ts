import { Injectable } from '@nestjs/common';
import {
  CustomerDatabaseService,
  EntityReadsService,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { SmsMessage } from '../entities/sms-message.entity';
import type { SmsStatus } from '../sms-values';

/** Properties that the customer sees. */
export const SMS = [
  'id',
  'recipient',
  'senderId',
  'message',
  'status',
  'segments',
  'encoding',
  'errorCode',
  'createdAt',
  'updatedAt',
  'deliveredAt',
] as const satisfies (keyof SmsMessage)[];

/** The fields of a message that the customer sees. */
export type SmsRow = ReadRow<SmsMessage, (typeof SMS)[number]>;

/** The customer's own messages. */
@Injectable()
export class SmsLogService {
  private readonly log: KeysetList<SmsRow>;
  private readonly byId: ReadStatement<SmsRow>;

  constructor(
    private readonly database: CustomerDatabaseService,
    reads: EntityReadsService,
  ) {
    this.log = reads.list(SmsMessage, {
      name: 'sms.log',
      select: SMS,
      timedIds: true,
      filters: [{ property: 'status', operator: '=' }],
    });
    this.byId = reads.find(SmsMessage, { name: 'sms.find', select: SMS, by: ['customerId', 'id'] });
  }

  /** A page of the customer's messages, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest, status?: SmsStatus): Promise<Page<SmsRow>> {
    return this.database.page(this.log, page, [status]);
  }

  /** One of the customer's messages. @throws ServiceError not_found */
  async find(id: string): Promise<SmsRow> {
    const [message] = await this.database.read(this.byId, [id]);
    if (!message) throw new ServiceError('not_found', 'You have sent no SMS with this id');
    return message;
  }
}
