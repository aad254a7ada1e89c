import { Injectable } from '@nestjs/common';
import { type PendingCreditRequest, PendingCreditRequestsPort } from '@domains/ai';
import { AppConfig } from '@platform/config';
import {
  CustomerDatabaseService,
  decoders,
  EntityReadsService,
  EntityWritesService,
  type Expression,
  type KeysetList,
  type ReadRow,
  type ReadStatement,
} from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { Page, PageRequest } from '@platform/pagination';
import { CreditRequest, type CreditRequestStatus } from '../entities/credit-request.entity';

/** Properties that the customer sees. */
const CREDIT_REQUEST = [
  'id',
  'amountNok',
  'note',
  'reference',
  'status',
  'reason',
  'invoiceId',
  'decidedAt',
  'createdAt',
] as const satisfies (keyof CreditRequest)[];

/** The fields of a credit request that its customer sees. */
export type CreditRequestRow = ReadRow<CreditRequest, (typeof CREDIT_REQUEST)[number]>;

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

/**
 * A customer's credit requests. A request never adds credit by itself; the operator does. The AI overview includes the
 * pending ones.
 */
@Injectable()
export class CreditRequestsService extends PendingCreditRequestsPort {
  readonly expression: Expression<PendingCreditRequest[]>;
  private readonly byId: ReadStatement<CreditRequestRow>;
  private readonly requests: KeysetList<CreditRequestRow>;
  private readonly createRequest;

  constructor(
    private readonly database: CustomerDatabaseService,
    private readonly config: AppConfig,
    reads: EntityReadsService,
    writes: EntityWritesService,
  ) {
    super();
    this.expression = pendingRequests(reads);
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
    this.createRequest = writes.call({
      name: 'credit-requests.create',
      calls: 'app.create_credit_request',
      parameters: { amount: 'numeric', note: 'text', reference: 'text', defaultCap: 'integer', actor: 'text' },
      returns: { outcome: decoders.text as (text: string) => Outcome },
      row: { entity: CreditRequest, column: 'request', select: CREDIT_REQUEST },
    });
  }

  /**
   * Adds a request. Returns the existing one, unchanged, if the reference is known. @throws ServiceError ai_disabled,
   * too_many_pending_requests
   */
  async create(newRequest: NewCreditRequest): Promise<{ request: CreditRequestRow; created: boolean }> {
    const { tokenId, amountNok, note = null, reference = null } = newRequest;
    const defaultCap = this.config.PENDING_CREDIT_REQUESTS;
    const [[result]] = await this.database.write([
      this.createRequest({ amount: String(amountNok), note, reference, defaultCap, actor: `token:${tokenId}` }),
    ]);
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

/** The requests of the customer `$1` that wait for the operator. */
function pendingRequests(reads: EntityReadsService): Expression<PendingCreditRequest[]> {
  const request = reads.table(CreditRequest, 'q');
  const order = `${request.column('createdAt')} desc, ${request.column('id')} desc`;
  return {
    sql: `(select coalesce(json_agg(${request.json(CREDIT_REQUEST)} order by ${order}), '[]') from ${request.from}
      where ${request.column('customerId')} = $1 and ${request.column('status')} = 'pending')`,
    decode: decoders.json as (text: string) => PendingCreditRequest[],
  };
}
