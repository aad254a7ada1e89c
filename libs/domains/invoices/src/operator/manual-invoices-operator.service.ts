import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isUniqueViolation } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { InvoiceNumber } from '../entities/invoice-number.entity';
import { Invoice } from '../entities/invoice.entity';

/** An invoice that the operator issued outside of any billing source. */
export interface ManualInvoice {
  customerId: string;
  /** The number printed on the invoice. */
  number: string;
  /** Unique id of the invoice, such as `credit-request:17`; default: its number. */
  sourceId?: string;
  /** In the currency's minor unit (øre). */
  amount: bigint;
  /** ISO 4217; default NOK. */
  currency?: string;
  /** `YYYY-MM-DD`. */
  issueDate: string;
  /** `YYYY-MM-DD`. */
  dueDate?: string;
  kid?: string;
  /** Links that need no credential. */
  pdfUrl?: string;
  hostedUrl?: string;
}

/** Creates invoices that the operator issues. */
@Injectable()
export class ManualInvoicesOperatorService {
  /**
   * Adds an open invoice within the caller's transaction, together with its cause.
   * @returns the invoice's id
   * @throws DuplicateInvoiceError if an invoice of any customer has this number; the transaction is aborted then
   */
  async issue(manager: EntityManager, invoice: ManualInvoice): Promise<string> {
    const { amount, sourceId = invoice.number, currency = 'NOK', ...rest } = invoice;
    const id = randomUUID();
    const money = { amount: amount.toString(), amountDue: amount.toString(), currency };
    try {
      await manager.insert(InvoiceNumber, { source: 'manual', type: 'invoice', number: invoice.number, sourceId });
      await manager.insert(Invoice, { ...rest, ...money, id, source: 'manual', sourceId, status: 'open' });
    } catch (error) {
      throw isUniqueViolation(error) ? new DuplicateInvoiceError(invoice.number) : error;
    }
    return id;
  }
}

/** An invoice of this or another customer already has this number. */
export class DuplicateInvoiceError extends ServiceError {
  constructor(number: string) {
    super('invalid_request', `There already is an invoice ${number}: choose another number`);
  }
}
