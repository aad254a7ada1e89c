import type Stripe from 'stripe';
import { type StripeCreditNote } from './stripe-credit-note';

/** A credit note as Stripe sends it. `base` is the address that its link starts with. */
export function wireCreditNote(note: StripeCreditNote, base: string, linkGeneration: number): object {
  const { id, status, total, created } = note;
  const wire: Omit<Stripe.CreditNote, 'lastResponse'> = {
    id,
    object: 'credit_note',
    ...UNUSED,
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
const UNUSED = {
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
