import { loadConfig } from '@platform/config';
import { BillingCalendar } from '@platform/time';
import { isProblem, type SourceInvoice } from '../ports/billing-source.port';
import { neededCreditNotes, readFikenCreditNote, readFikenInvoice } from './fiken/fiken-documents';
import { readStripeCreditNote, readStripeInvoice } from './stripe/stripe-documents';

const OSLO = new BillingCalendar(loadConfig({ BILLING_TIMEZONE: 'Europe/Oslo' }));
const seconds = (text: string) => Date.parse(text) / 1000;

const stripe = (fields: object) =>
  readStripeInvoice(
    {
      id: 'in_1',
      customer: 'cus_1',
      status: 'open',
      number: '1',
      currency: 'nok',
      total: 10_000,
      amount_paid: 0,
      amount_remaining: 10_000,
      created: seconds('2026-01-01T08:00:00Z'),
      due_date: seconds('2026-01-15T08:00:00Z'),
      status_transitions: { finalized_at: seconds('2026-01-01T09:00:00Z'), paid_at: null },
      ...fields,
    },
    'cus_1',
    OSLO,
  );
const fiken = (fields: object, sale: object = {}) =>
  readFikenInvoice(
    {
      invoiceId: 1,
      invoiceNumber: 10,
      issueDate: '2026-01-01',
      dueDate: '2026-01-15',
      gross: 10_000,
      grossInNok: 10_000,
      currency: 'NOK',
      customer: { contactId: 7 },
      sale: { settled: false, writeOff: false, totalPaid: 0, outstandingBalance: 10_000, ...sale },
      ...fields,
    },
    '7',
  );
function read(item: ReturnType<typeof stripe>): SourceInvoice {
  if (isProblem(item)) throw new Error(item.detail);
  return item;
}

describe("Stripe's amounts", () => {
  it.each([
    ['nok', 12_345, 12_345n],
    ['jpy', 5_000, 5_000n],
    ['mga', 5_000, 5_000n],
    ['krw', 1, 1n],
    ['isk', 12_300, 123n],
    ['ugx', 500, 5n],
    ['huf', 12_345, 12_345n],
    ['kwd', 12_340, 12_340n],
    ['tnd', 10, 10n],
  ])('in %s: %s is %s', (currency, total, amount) => {
    expect(read(stripe({ currency, total, amount_remaining: 0 })).amount).toBe(amount);
  });

  it('finer than their currency are a problem, not rounded', () => {
    for (const fields of [{ total: 12_345 }, { total: 12_300, amount_remaining: 12_345 }])
      expect(stripe({ currency: 'isk', ...fields })).toMatchObject({ detail: expect.stringContaining('ISK') });
  });

  it('are those of the account alone, whether its customer is named or told in full', () => {
    expect(stripe({ customer: { id: 'cus_1', name: 'A' } })).toMatchObject({ amount: 10_000n });
    for (const customer of ['cus_2', { id: 'cus_2' }])
      expect(stripe({ customer })).toMatchObject({ sourceId: 'in_1', foreign: true });
  });

  it('need a number, except on a draft, and no due date', () => {
    for (const status of ['open', 'paid', 'void', 'uncollectible'])
      expect(stripe({ status, number: null })).toMatchObject({ detail: expect.stringMatching('number') });
    expect(stripe({ status: 'draft', number: null, due_date: null })).toMatchObject({ status: 'draft', dueDate: null });
  });

  it.each<[string, object, object]>([
    ['partly credited', { amount_remaining: 6_000 }, { status: 'open', amountDue: 6_000n }],
    [
      'partly credited and partly paid',
      { amount_paid: 1_000, amount_remaining: 5_000 },
      { status: 'open', amountDue: 5_000n },
    ],
    [
      'partly credited and paid',
      { status: 'paid', amount_paid: 6_000, amount_remaining: 0 },
      { status: 'paid', amountDue: 0n },
    ],
    ['credited in full', { amount_remaining: 0 }, { status: 'void', amountDue: 0n }],
    [
      'paid in part and credited beyond it',
      { amount_paid: 9_000, amount_remaining: -2_500 },
      { status: 'paid', amountDue: 0n },
    ],
    ['lost', { status: 'uncollectible' }, { status: 'uncollectible', amountDue: 10_000n }],
    ['void', { status: 'void' }, { status: 'void', amountDue: 0n }],
  ])('of an invoice that is %s', (_, fields, expected) => expect(read(stripe(fields))).toMatchObject(expected));

  it.each(['draft', 'open', 'paid', 'uncollectible', 'void'] as const)(
    'of an invoice with a negative total are those of a credit note (%s)',
    (status) => {
      const paid_at = status === 'paid' ? seconds('2026-01-01T09:00:00Z') : null;
      const status_transitions = { finalized_at: seconds('2026-01-01T09:00:00Z'), paid_at };
      expect(read(stripe({ status, total: -12_345, amount_remaining: 0, status_transitions }))).toMatchObject({
        type: 'credit_note',
        status: status === 'draft' || status === 'void' ? status : 'paid',
        amount: 12_345n,
        amountDue: 0n,
        dueDate: null,
        paidAt: null,
      });
    },
  );

  it('of a credit note are the credited amount', () => {
    const note = {
      id: 'cn_1',
      customer: 'cus_1',
      status: 'issued',
      number: 'CN',
      currency: 'jpy',
      total: 500,
      created: seconds('2026-01-01T08:00:00Z'),
    };
    expect(readStripeCreditNote(note, 'cus_1', OSLO)).toMatchObject({
      ...{ amount: 500n, amountDue: 0n, type: 'credit_note', issueDate: '2026-01-01' },
    });
    const printed = { ...note, effective_at: seconds('2025-12-30T23:30:00Z') };
    expect(readStripeCreditNote(printed, 'cus_1', OSLO)).toMatchObject({ issueDate: '2025-12-31' });
  });

  it('are dated by the day in Norway', () => {
    const late = {
      status_transitions: { finalized_at: seconds('2026-06-30T22:30:00Z') },
      due_date: seconds('2026-12-31T23:30:00Z'),
    };
    expect(read(stripe(late))).toMatchObject({ issueDate: '2026-07-01', dueDate: '2027-01-01' });
  });

  it('are dated as Stripe prints it, if that is another day than that of the issue', () => {
    const printed = { effective_at: seconds('2025-12-31T22:30:00Z') };
    expect(read(stripe(printed))).toMatchObject({
      issueDate: '2025-12-31',
      createdAt: new Date('2026-01-01T09:00:00Z'),
    });
  });

  it.each(['created', 'due_date', 'effective_at'])('are a problem if %s is before 2000 or after 2199', (field) => {
    for (const day of ['2000-01-01T00:00:00Z', '2199-12-31T23:59:59Z'])
      expect(stripe({ [field]: seconds(day) })).toMatchObject({ amount: 10_000n });
    for (const day of ['1999-12-31T23:59:59Z', '2200-01-01T00:00:00Z'])
      expect(stripe({ [field]: seconds(day) })).toMatchObject({ detail: expect.stringContaining(field) });
  });

  it('are sorted by when the invoice was issued, not when its draft was created', () => {
    expect(read(stripe({})).createdAt).toEqual(new Date('2026-01-01T09:00:00Z'));
  });
});

describe("Fiken's amounts", () => {
  it.each([
    ['NOK', 12_345, 12_345n],
    ['JPY', 500_000, 5_000n],
    ['ISK', 12_300, 123n],
    ['MGA', 500_000, 5_000n],
    ['EUR', 999, 999n],
    ['KWD', 1_234, 12_340n],
  ])('in %s: %s hundredths are %s', (currency, gross, amount) => {
    expect(read(fiken({ currency, gross }, { outstandingBalance: null })).amount).toBe(amount);
  });

  it.each<[object, object]>([
    [{ gross: 12_345 }, { outstandingBalance: null }],
    [
      { gross: 12_300, grossInNok: 12_300 },
      { outstandingBalance: 50, totalPaidInCurrency: 5 },
    ],
  ])('finer than their currency are a problem, not rounded: %j', (fields, sale) => {
    expect(fiken({ currency: 'ISK', ...fields }, sale)).toMatchObject({ detail: expect.stringContaining('ISK') });
  });

  it.each<[string, object, object, object]>([
    ['open', {}, {}, { status: 'open', amountDue: 10_000n }],
    ['partly paid', {}, { totalPaid: 4_000, outstandingBalance: 6_000 }, { status: 'open', amountDue: 6_000n }],
    [
      'in euros and open',
      { currency: 'EUR', grossInNok: 115_000 },
      { outstandingBalance: 115_000 },
      { status: 'open', amountDue: 10_000n },
    ],
    [
      'in euros and partly paid',
      { currency: 'EUR', grossInNok: 115_000 },
      { totalPaid: 46_000, totalPaidInCurrency: 4_000, outstandingBalance: 69_000 },
      { status: 'open', amountDue: 6_000n },
    ],
    [
      'in euros and credited in full',
      { currency: 'EUR', grossInNok: 115_000 },
      { outstandingBalance: 0 },
      { status: 'void', amountDue: 0n },
    ],
    ['partly credited', { associatedCreditNotes: [3] }, { outstandingBalance: 6_000 }, { amountDue: 6_000n }],
    ['credited above its total', {}, { outstandingBalance: -2_500 }, { status: 'void', amountDue: 0n }],
    [
      'paid and credited above its total',
      {},
      { totalPaid: 10_000, outstandingBalance: -2_500 },
      { status: 'paid', amountDue: 0n },
    ],
    [
      'settled',
      {},
      { settled: true, settledDate: '2026-01-09', totalPaid: 10_000, outstandingBalance: 0 },
      { status: 'paid', amountDue: 0n, paidAt: new Date('2026-01-09T00:00:00Z') },
    ],
    [
      'settled by credit',
      { associatedCreditNotes: [1] },
      { settled: true, settledDate: '2026-01-09', outstandingBalance: 0 },
      { status: 'void', amountDue: 0n, paidAt: null },
    ],
    [
      'settled by credit in part, and paid for the rest',
      { associatedCreditNotes: [1] },
      { settled: true, settledDate: '2026-01-09', totalPaid: 4_000, outstandingBalance: 0 },
      { status: 'paid', amountDue: 0n, paidAt: new Date('2026-01-09T00:00:00Z') },
    ],
    [
      'settled by a payment that is not told',
      {},
      { settled: true, totalPaid: null },
      { status: 'paid', amountDue: 0n },
    ],
    [
      'settled, of which its sale does not tell',
      { settled: true, sale: null },
      {},
      { status: 'paid', amountDue: 0n, paidAt: null },
    ],
    [
      'written off',
      {},
      { settled: true, settledDate: '2026-01-09', writeOff: true, outstandingBalance: 0 },
      { status: 'uncollectible', amountDue: 10_000n, paidAt: null },
    ],
    [
      'paid in part and written off',
      {},
      { settled: true, settledDate: '2026-01-09', writeOff: true, totalPaid: 4_000, outstandingBalance: 0 },
      { status: 'uncollectible', amountDue: 6_000n, paidAt: null },
    ],
    [
      'written off, of which its sale does not tell that it is settled',
      {},
      { writeOff: true },
      { status: 'uncollectible', amountDue: 10_000n },
    ],
    [
      'negative: a credit note',
      { gross: -500, kid: '12' },
      { outstandingBalance: -500 },
      { type: 'credit_note', status: 'paid', amount: 500n, amountDue: 0n, dueDate: null, paidAt: null, kid: null },
    ],
  ])('of an invoice that is %s', (_, fields, sale, expected) =>
    expect(read(fiken(fields, sale))).toMatchObject(expected),
  );

  it('of an invoice in euros whose payment is stated in NOK alone are a problem: what is unpaid would be too much', () => {
    const euros = { currency: 'EUR', grossInNok: 115_000 };
    expect(fiken(euros, { totalPaid: 46_000, totalPaidInCurrency: null, outstandingBalance: 69_000 })).toMatchObject({
      detail: expect.stringContaining('totalPaidInCurrency'),
    });
  });

  describe('of an invoice in euros that is partly credited', () => {
    const note = (creditNoteId: number, gross: number, currency = 'EUR') => ({
      ...{ creditNoteId, creditNoteNumber: creditNoteId, issueDate: '2026-01-02', gross, currency },
      customer: { contactId: 7 },
    });
    const invoice = {
      ...{ invoiceId: 1, invoiceNumber: 10, issueDate: '2026-01-01', gross: 10_000, grossInNok: 115_000 },
      ...{ currency: 'EUR', customer: { contactId: 7 }, associatedCreditNotes: [3, 4] },
      sale: { settled: false, totalPaid: 13_000, totalPaidInCurrency: 1_000, outstandingBalance: 67_300 },
    };

    it('are less by its credit notes and payments, in euros: those in NOK have rates of their own', () => {
      expect(neededCreditNotes(invoice)).toEqual([3, 4]);
      const notes = [note(3, 2_000), note(4, -1_001)];
      expect(read(readFikenInvoice(invoice, '7', notes))).toMatchObject({ status: 'open', amountDue: 5_999n });
    });

    it.each([
      ['gone', [note(3, 2_000), undefined]],
      ['not read', [note(3, 2_000)]],
      ['in another currency', [note(3, 2_000), note(4, 1_000, 'NOK')]],
    ])('are not told when a credit note is %s', (_, notes) =>
      expect(readFikenInvoice(invoice, '7', notes)).toMatchObject({
        sourceId: '1',
        detail: expect.stringContaining('associatedCreditNotes'),
      }),
    );

    it('are what is left of one that is written off, whatever balance is stated', () => {
      const lost = { ...invoice, sale: { ...invoice.sale, settled: true, writeOff: true, outstandingBalance: 0 } };
      expect(neededCreditNotes(lost)).toEqual([3, 4]);
      const notes = [note(3, 2_000), note(4, -1_001)];
      expect(read(readFikenInvoice(lost, '7', notes))).toMatchObject({ status: 'uncollectible', amountDue: 5_999n });
    });

    it.each<[string, object]>([
      ['that is settled', { sale: { ...invoice.sale, settled: true } }],
      ['that has no balance left', { sale: { ...invoice.sale, outstandingBalance: 0 } }],
      ['in NOK', { currency: 'NOK' }],
    ])('need no credit notes for one %s', (_, fields) =>
      expect(neededCreditNotes({ ...invoice, ...fields })).toEqual([]),
    );
  });

  it.each(['issueDate', 'dueDate'])('are a problem if %s is no possible day', (field) => {
    for (const day of ['1970-01-01', '2199-12-31']) expect(fiken({ [field]: day })).toMatchObject({ [field]: day });
    for (const day of ['1969-12-31', '2200-01-01', '2026-02-29', '26-01-01'])
      expect(fiken({ [field]: day })).toMatchObject({ detail: expect.stringContaining(field) });
  });

  it.each([500, -500])('of a credit note of %s hundredths are the credited amount', (gross) => {
    const note = {
      creditNoteId: 3,
      creditNoteNumber: 4,
      issueDate: '2026-01-01',
      gross,
      currency: 'NOK',
      customer: { contactId: 7 },
    };
    expect(readFikenCreditNote(note, '7')).toMatchObject({ amount: 500n, amountDue: 0n });
    expect(readFikenCreditNote(note, '8')).toMatchObject({ sourceId: 'credit-note:3', foreign: true });
    const finer = { ...note, currency: 'ISK', gross: gross + 1 };
    expect(readFikenCreditNote(finer, '7')).toMatchObject({ detail: expect.stringContaining('ISK') });
  });
});
