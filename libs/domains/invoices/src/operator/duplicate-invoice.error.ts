import { ServiceError } from '@platform/errors';

/** An invoice of this or another customer already has this number. */
export class DuplicateInvoiceError extends ServiceError {
  constructor(number: string) {
    super('invalid_request', `There already is an invoice ${number}: choose another number`);
  }
}
