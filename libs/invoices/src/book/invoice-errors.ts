/** The customer already has an invoice that is this one. */
export class DuplicateInvoiceError extends Error {
  constructor(number: string) {
    super(`The customer already has an invoice ${number}`);
  }
}
