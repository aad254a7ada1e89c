import { type FikenCreditNote, type FikenInvoice, fileId, fileName } from './fiken-store';

/** An invoice as Fiken sends it. `files` is the address that download links start with. */
export function wireInvoice(invoice: FikenInvoice, slug: string, files: string): object {
  const { issueDate, dueDate, kid, lastModifiedDate } = invoice;
  return {
    invoiceId: invoice.invoiceId,
    createdDate: invoice.createdDate,
    lastModifiedDate,
    invoiceNumber: invoice.invoiceNumber,
    kid,
    issueDate,
    dueDate,
    originalDueDate: dueDate,
    ...amounts(invoice),
    cash: false,
    address: { streetAddress: 'Storgata 1', city: 'Oslo', postCode: '0155', country: 'Norge' },
    lines: [],
    currency: invoice.currency,
    bankAccountNumber: '11112233334',
    sentManually: false,
    invoicePdf: pdf(files, slug, 'faktura', invoice.invoiceNumber, issueDate),
    associatedCreditNotes: invoice.creditNoteIds,
    attachments: [],
    customer: customer(invoice.customerId),
    sale: sale(invoice),
    dispatches: [],
    ...invoice.corrupted,
  };
}

/** A credit note as Fiken sends it. */
export function wireCreditNote(note: FikenCreditNote, slug: string, files: string): object {
  return {
    creditNoteId: note.creditNoteId,
    creditNoteNumber: note.creditNoteNumber,
    customer: customer(note.customerId),
    ...amounts(note),
    address: { streetAddress: 'Storgata 1', city: 'Oslo', postCode: '0155', country: 'Norge' },
    lines: [],
    currency: note.currency,
    issueDate: note.issueDate,
    lastModifiedDate: note.lastModifiedDate,
    settled: note.settled,
    associatedInvoiceId: note.invoiceId,
    creditNotePdf: pdf(files, slug, 'kreditnota', note.creditNoteNumber, note.issueDate),
  };
}

/** 25 % VAT; net and VAT add up to gross exactly. */
function amounts({ gross, currency }: { gross: number; currency: string }): object {
  const net = Math.round(gross / 1.25);
  const [netInNok, grossInNok] = [inNok(net, currency), inNok(gross, currency)];
  return { net, vat: gross - net, gross, netInNok, vatInNok: grossInNok - netInNok, grossInNok };
}

/** An amount in NOK: any other currency is worth 11.5 NOK. */
function inNok(amount: number, currency: string): number {
  return currency === 'NOK' ? amount : Math.round(amount * 11.5);
}

function customer(contactId: number): object {
  return {
    contactId,
    name: `Sandbox customer ${contactId}`,
    customer: true,
    supplier: false,
    currency: 'NOK',
    language: 'Norwegian',
  };
}

function sale(invoice: FikenInvoice): object {
  const settled = invoice.settledDate !== undefined;
  const paid = settled && !invoice.writeOff ? invoice.gross - invoice.credited : 0;
  return {
    saleId: invoice.invoiceId + 1_000_000,
    lastModifiedDate: invoice.lastModifiedDate,
    saleNumber: String(invoice.invoiceNumber),
    date: invoice.issueDate,
    kind: 'invoice',
    settled,
    ...(settled && { settledDate: invoice.settledDate }),
    writeOff: invoice.writeOff,
    // In NOK, whatever the currency.
    totalPaid: inNok(paid, invoice.currency),
    ...(invoice.currency !== 'NOK' && { totalPaidInCurrency: paid }),
    outstandingBalance: settled ? 0 : inNok(invoice.gross - invoice.credited, invoice.currency),
    dueDate: invoice.dueDate,
    kid: invoice.kid,
    currency: invoice.currency,
    deleted: false,
  };
}

function pdf(files: string, slug: string, kind: 'faktura' | 'kreditnota', number: number, issueDate: string): object {
  const name = fileName(kind, number, issueDate);
  const path = `${fileId(slug, name)}/${name}`;
  return {
    identifier: String(number),
    downloadUrl: `${files}/${path}`,
    downloadUrlWithFikenNormalUserCredentials: `https://fiken.invalid/filer/${path}`,
    type: kind === 'faktura' ? 'invoice' : 'credit_note',
  };
}
