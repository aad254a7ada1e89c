import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import type { Invoice } from '@domains/invoices';

/** Stores an invoice of a customer: manual, open, of 1,250.50 NOK, not due yet. */
export async function saveFakeInvoice(client: Client, customerId: string, overrides: Partial<Invoice> = {}) {
  const id = randomUUID();
  const invoice = {
    id,
    source: 'manual',
    sourceId: id,
    type: 'invoice',
    number: '10042',
    status: 'open',
    currency: 'NOK',
    amount: '125050',
    amountDue: '125050',
    issueDate: '2026-01-01',
    dueDate: '2999-01-15',
    paidAt: null,
    kid: null,
    pdfUrl: null,
    pdfReference: null,
    hostedUrl: null,
    createdAt: new Date(),
    ...overrides,
  };
  await client.query(
    `insert into invoice (customer_id, id, source, source_id, type, number, status, currency, amount, amount_due, issue_date,
       due_date, paid_at, kid, pdf_url, pdf_reference, hosted_url, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
    [
      customerId,
      invoice.id,
      invoice.source,
      invoice.sourceId,
      invoice.type,
      invoice.number,
      invoice.status,
      invoice.currency,
      invoice.amount,
      invoice.amountDue,
      invoice.issueDate,
      invoice.dueDate,
      invoice.paidAt,
      invoice.kid,
      invoice.pdfUrl,
      invoice.pdfReference,
      invoice.hostedUrl,
      invoice.createdAt,
    ],
  );
  return invoice;
}

/** Links a customer to an account of a billing source, as the operator does. */
export async function saveFakeBillingAccount(client: Client, customerId: string, source: string, account: string) {
  await client.query('insert into billing_account (customer_id, source, source_customer_id) values ($1, $2, $3)', [
    customerId,
    source,
    account,
  ]);
}
