import type Stripe from 'stripe';
import type { StripeCreditNote, StripeInvoice } from './stripe-store';

/** An invoice as Stripe sends it. `base` is the address that its links start with. */
export function wireInvoice(invoice: StripeInvoice, base: string, linkGeneration: number): object {
  const { status, total, created } = invoice;
  const finalized = status === 'draft' ? null : created + 60;
  const closed = created + 3 * 86_400;
  // A negative total is added to the customer's balance: nothing is to be paid.
  const due = Math.max(total, 0);
  const paid = status === 'paid' ? due : 0;
  const link = finalized === null ? null : `${base}/i/${invoice.id}_${linkGeneration}`;
  const wire: Stripe.Invoice = {
    id: invoice.id,
    object: 'invoice',
    ...UNUSED_OF_INVOICE,
    amount_due: due,
    amount_overpaid: 0,
    amount_paid: paid,
    amount_remaining: due - paid,
    amount_shipping: 0,
    collection_method: 'send_invoice',
    billing_reason: 'manual',
    created,
    currency: invoice.currency,
    customer: invoice.customer,
    due_date: invoice.dueDate,
    effective_at: invoice.effectiveAt ?? finalized,
    hosted_invoice_url: link && `${link}?s=ap`,
    invoice_pdf: link && `${link}/pdf?s=ap`,
    lines: { object: 'list', data: [], has_more: false, url: `/v1/invoices/${invoice.id}/lines` },
    number: finalized === null ? null : `SANDBOX-${String(invoice.serial).padStart(4, '0')}`,
    period_end: created,
    period_start: created,
    status,
    status_transitions: {
      finalized_at: finalized,
      marked_uncollectible_at: status === 'uncollectible' ? closed : null,
      paid_at: status === 'paid' ? closed : null,
      voided_at: status === 'void' ? closed : null,
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
  };
  return { ...wire, ...invoice.corrupted };
}

/** Fields of every invoice that this project does not use. */
const UNUSED_OF_INVOICE = {
  account_country: 'NO',
  account_name: 'Sandbox',
  account_tax_ids: null,
  application: null,
  attempt_count: 0,
  attempted: false,
  automatic_tax: { disabled_reason: null, enabled: false, liability: null, provider: null, status: null },
  automatically_finalizes_at: null,
  custom_fields: null,
  customer_account: null,
  customer_address: null,
  customer_email: null,
  customer_name: null,
  customer_phone: null,
  customer_shipping: null,
  customer_tax_exempt: 'none',
  default_payment_method: null,
  default_source: null,
  default_tax_rates: [],
  description: null,
  discounts: [],
  ending_balance: null,
  footer: null,
  from_invoice: null,
  issuer: { type: 'self' },
  last_finalization_error: null,
  latest_revision: null,
  livemode: false,
  metadata: {},
  next_payment_attempt: null,
  on_behalf_of: null,
  parent: null,
  payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
  post_payment_credit_notes_amount: 0,
  pre_payment_credit_notes_amount: 0,
  receipt_number: null,
  rendering: null,
  shipping_cost: null,
  shipping_details: null,
  starting_balance: 0,
  statement_descriptor: null,
  test_clock: null,
  total_discount_amounts: [],
  total_pretax_credit_amounts: [],
  total_taxes: [],
  webhooks_delivered_at: null,
} satisfies Partial<Stripe.Invoice>;

/** A credit note as Stripe sends it. `base` is the address that its link starts with. */
export function wireCreditNote(note: StripeCreditNote, base: string, linkGeneration: number): object {
  const { id, status, total, created } = note;
  const wire: Omit<Stripe.CreditNote, 'lastResponse'> = {
    id,
    object: 'credit_note',
    ...UNUSED_OF_CREDIT_NOTE,
    amount: total,
    created,
    currency: note.currency,
    customer: note.customer,
    effective_at: created,
    invoice: note.invoice,
    lines: { object: 'list', data: [], has_more: false, url: `/v1/credit_notes/${id}/lines` },
    number: `SANDBOX-CN-${String(note.serial).padStart(2, '0')}`,
    pdf: `${base}/cn/${id}_${linkGeneration}/pdf?s=ap`,
    post_payment_amount: total,
    status,
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
    voided_at: status === 'void' ? created + 86_400 : null,
  };
  return { ...wire, ...note.corrupted };
}

/** Fields of every credit note that this project does not use. */
const UNUSED_OF_CREDIT_NOTE = {
  amount_shipping: 0,
  customer_account: null,
  customer_balance_transaction: null,
  discount_amount: 0,
  discount_amounts: [],
  livemode: false,
  memo: null,
  metadata: {},
  out_of_band_amount: null,
  pre_payment_amount: 0,
  pretax_credit_amounts: [],
  reason: null,
  refunds: [],
  shipping_cost: null,
  total_taxes: [],
  type: 'post_payment',
} satisfies Partial<Stripe.CreditNote>;
