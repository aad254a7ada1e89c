import { ServiceError } from '@platform/errors';

/** There is an invoice with this number already, of this customer or another. */
export class DuplicateInvoiceError extends ServiceError {
  constructor(number: string) {
    super('invalid_request', `There already is an invoice ${number}: choose another number`);
  }
}
