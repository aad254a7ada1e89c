import { daysAfter } from '../shared/calendar';
import { seededAmount } from '../shared/seeded-amount';
import { type FikenCreditNote, type FikenInvoice } from './fiken-documents';
import { fileId, fileName } from './fiken-files';
import { kidOf } from './kid';

/** A series of invoices; all fields but the customer and the count have a default. */
export interface FikenSeries {
  /** The customer's contact id. */
  customerId: number;
  count: number;
  /** Issue date of the first. */
  from?: string;
  everyDays?: number;
  /** One in how many invoices is unpaid; 3 by default, 1 for all. */
  unpaidEvery?: number;
}

/** The documents of one company; the same calls create the same documents in every run. */
export class FikenCompany {
  readonly invoices: FikenInvoice[] = [];
  readonly creditNotes: FikenCreditNote[] = [];

  constructor(readonly slug: string) {}

  addInvoices(series: FikenSeries): FikenInvoice[] {
    const { customerId, count, from = '2026-01-02', everyDays = 1, unpaidEvery = 3 } = series;
    const added = Array.from({ length: count }, (_, index) => {
      const serial = this.invoices.length + 1 + index;
      const issueDate = daysAfter(from, index * everyDays);
      const settledDate = index % unpaidEvery === unpaidEvery - 1 ? undefined : daysAfter(issueDate, 7);
      const invoice: FikenInvoice = {
        invoiceId: 2_800_000 + serial,
        invoiceNumber: 10_000 + serial,
        customerId,
        issueDate,
        dueDate: daysAfter(issueDate, 14),
        gross: seededAmount(serial),
        kid: kidOf(String(customerId) + String(10_000 + serial).padStart(7, '0')),
        createdDate: issueDate,
        lastModifiedDate: settledDate ?? issueDate,
        ...(settledDate !== undefined && { settledDate }),
        writeOff: false,
        creditNoteIds: [],
      };
      return invoice;
    });
    this.invoices.push(...added);
    return added;
  }

  /** Records the payment of an invoice. */
  settle(invoiceId: number, date: string): void {
    Object.assign(this.invoice(invoiceId), { settledDate: date, lastModifiedDate: date });
  }

  /** Writes the invoice off. */
  writeOff(invoiceId: number, date: string): void {
    Object.assign(this.invoice(invoiceId), { writeOff: true, settledDate: date, lastModifiedDate: date });
  }

  /** Credits an invoice in full, which settles it. */
  credit(invoiceId: number, date: string): FikenCreditNote {
    const invoice = this.invoice(invoiceId);
    const serial = this.creditNotes.length + 1;
    const note: FikenCreditNote = {
      creditNoteId: 3_800_000 + serial,
      creditNoteNumber: 20_000 + serial,
      customerId: invoice.customerId,
      invoiceId,
      issueDate: date,
      lastModifiedDate: date,
      gross: invoice.gross,
      settled: true,
    };
    this.creditNotes.push(note);
    invoice.creditNoteIds.push(note.creditNoteId);
    Object.assign(invoice, { settledDate: date, lastModifiedDate: date });
    return note;
  }

  /** Deletes the invoice. */
  remove(invoiceId: number): void {
    this.invoices.splice(this.invoices.indexOf(this.invoice(invoiceId)), 1);
  }

  /** Makes one invoice malformed on the wire; `undefined` as a value removes the field. */
  corrupt(
    invoiceId: number,
    fields: Record<string, unknown> = { gross: 'a lot', issueDate: null, invoiceNumber: {} },
  ): void {
    this.invoice(invoiceId).corrupted = fields;
  }

  /** Whether a document has this file name. */
  hasDocument(name: string): boolean {
    return (
      this.invoices.some((invoice) => fileName('faktura', invoice.invoiceNumber, invoice.issueDate) === name) ||
      this.creditNotes.some((note) => fileName('kreditnota', note.creditNoteNumber, note.issueDate) === name)
    );
  }

  private invoice(invoiceId: number): FikenInvoice {
    const invoice = this.invoices.find((candidate) => candidate.invoiceId === invoiceId);
    if (!invoice) throw new Error(`The sandbox has no Fiken invoice ${invoiceId} in ${this.slug}`);
    return invoice;
  }
}

/** Companies by slug. */
export class FikenStore {
  private readonly companies = new Map<string, FikenCompany>();

  /** The company of this slug; created on first use. */
  company(slug: string): FikenCompany {
    const company = this.companies.get(slug) ?? new FikenCompany(slug);
    this.companies.set(slug, company);
    return company;
  }

  find(slug: string): FikenCompany | undefined {
    return this.companies.get(slug);
  }

  hasFile(id: string, name: string): boolean {
    return [...this.companies.values()].some(
      (company) => fileId(company.slug, name) === id && company.hasDocument(name),
    );
  }

  clear(): void {
    this.companies.clear();
  }
}
