import { Injectable } from '@nestjs/common';
import { type PendingCreditRequest, PendingCreditRequestsPort } from '@domains/ai';
import { decoders, EntityReadsService, type Expression } from '@platform/database';
import { CreditRequest } from '../entities/credit-request.entity';
import { CREDIT_REQUEST } from './credit-request-view';

/** Gives the AI status its pending credit requests. */
@Injectable()
export class PendingCreditRequestsService extends PendingCreditRequestsPort {
  readonly expression: Expression<PendingCreditRequest[]>;

  constructor(reads: EntityReadsService) {
    super();
    const request = reads.table(CreditRequest, 'q');
    const order = `${request.column('createdAt')} desc, ${request.column('id')} desc`;
    this.expression = {
      sql: `(select coalesce(json_agg(${request.json(CREDIT_REQUEST)} order by ${order}), '[]') from ${request.from}
        where ${request.column('customerId')} = $1 and ${request.column('status')} = 'pending')`,
      decode: decoders.json as (text: string) => PendingCreditRequest[],
    };
  }
}
