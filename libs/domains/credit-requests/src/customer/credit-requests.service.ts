import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import {
  CustomerDatabaseService,
  EntityReadsService,
  type KeysetList,
  type PreparedStatement,
  prepared,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { CreditRequest, type CreditRequestStatus } from '../entities/credit-request.entity';
import { CREDIT_REQUEST, type CreditRequestRow } from './credit-request-view';

/** A new credit request. */
export interface NewCreditRequest {
  /** The token that makes the request, for the audit log. */
  tokenId: string;
  /** 100 to 50000, two decimals at most. */
  amountNok: number;
  note?: string;
  reference?: string;
}

type Outcome = 'created' | 'existing' | 'disabled' | 'too_many';

/** A customer's credit requests. A request never adds credit by itself; the operator does. */
@Injectable()
export class CreditRequestsService {
  private readonly byId: ReadStatement<CreditRequestRow>;
  private readonly requests: KeysetList<CreditRequestRow>;
  private readonly createRequest: PreparedStatement;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
    reads: EntityReadsService,
  ) {
    this.byId = reads.find(CreditRequest, {
      name: 'credit-requests.find',
      select: CREDIT_REQUEST,
      by: ['customerId', 'id'],
    });
    this.requests = reads.list(CreditRequest, {
      name: 'credit-requests.list',
      select: CREDIT_REQUEST,
      filters: [{ property: 'status', operator: '=' }],
    });
    this.createRequest = prepared(
      'credit-requests.create',
      `select outcome, ${reads.table(CreditRequest, 'r').select(CREDIT_REQUEST)}
       from app.create_credit_request($1, $2, $3, $4, $5, $6, $7) r`,
    );
  }

  /**
   * Adds a request. Returns the existing one, unchanged, if the reference is known. @throws ServiceError ai_disabled,
   * too_many_pending_requests
   */
  async create(newRequest: NewCreditRequest): Promise<{ request: CreditRequestRow; created: boolean }> {
    const { tokenId, amountNok, note = null, reference = null } = newRequest;
    const cap = this.config.PENDING_CREDIT_REQUESTS;
    const values = [String(amountNok), note, reference, cap, `token:${tokenId}`, randomUUID()];
    const [result] = await this.database.write<CreditRequestRow & { outcome: Outcome }>(this.createRequest, values);
    if (!result) throw new Error('The database returned no result for the credit request');
    const { outcome, ...request } = result;
    switch (outcome) {
      case 'disabled':
        throw new ServiceError('ai_disabled', 'AI is not enabled for you; ask the operator');
      case 'too_many':
        throw new ServiceError(
          'too_many_pending_requests',
          'Too many of your credit requests are waiting for the operator',
        );
      default:
        return { request, created: outcome === 'created' };
    }
  }

  /** A page of the customer's requests, newest first. @throws ServiceError invalid_request for a bad cursor */
  list(page: PageRequest, status?: CreditRequestStatus): Promise<Page<CreditRequestRow>> {
    return this.database.page(this.requests, page, [status]);
  }

  /** One of the customer's requests. @throws ServiceError not_found */
  async find(id: number): Promise<CreditRequestRow> {
    const [request] = await this.database.read(this.byId, [id]);
    if (!request) throw new ServiceError('not_found', 'There is no such credit request');
    return request;
  }
}
