import { createHash } from 'node:crypto';
import { seededAmount } from '../shared/billing-documents';

/** An invoice as the store keeps it. Dates are `YYYY-MM-DD`, amounts hundredths of its currency. */
export interface FikenInvoice {
  invoiceId: number;
  invoiceNumber: number;
  customerId: number;
  issueDate: string;
  dueDate: string;
  gross: number;
  currency: string;
  /** The sum of its credit notes. */
  credited: number;
  kid: string;
  createdDate: string;
  lastModifiedDate: string;
  /** Paid or credited on this date. */
  settledDate?: string;
  /** Written off. */
  writeOff: boolean;
  creditNoteIds: number[];
  /** Fields of the wire format to override, which makes the invoice malformed. */
  corrupted?: Record<string, unknown>;
}

/** A credit note as the store keeps it. */
export interface FikenCreditNote {
  creditNoteId: number;
  creditNoteNumber: number;
  customerId: number;
  invoiceId: number;
  issueDate: string;
  lastModifiedDate: string;
  gross: number;
  currency: string;
  settled: boolean;
}

/** A series of invoices; all fields but the customer and the count have a default. */
interface FikenSeries {
  /** The customer's contact id. */
  customerId: number;
  count: number;
  /** Issue date of the first. */
  from?: string;
  everyDays?: number;
  /** One in how many invoices is unpaid; 3 by default, 1 for all. */
  unpaidEvery?: number;
  currency?: string;
}

/** The documents of one company; the same calls create the same documents in every run. */
export class FikenCompany {
  readonly invoices: FikenInvoice[] = [];
  readonly creditNotes: FikenCreditNote[] = [];

  /** @param ids its ids are greater than this: Fiken counts numbers by company, and ids over all companies */
  constructor(
    readonly slug: string,
    private readonly ids: number,
  ) {}

  addInvoices(series: FikenSeries): FikenInvoice[] {
    const { customerId, count, from = '2026-01-02', everyDays = 1, unpaidEvery = 3, currency = 'NOK' } = series;
    const added = Array.from({ length: count }, (_, index) => {
      const serial = this.invoices.length + 1 + index;
      const issueDate = daysAfter(from, index * everyDays);
      const settledDate = index % unpaidEvery === unpaidEvery - 1 ? undefined : daysAfter(issueDate, 7);
      const invoice: FikenInvoice = {
        invoiceId: this.ids + 2_800_000 + serial,
        invoiceNumber: 10_000 + serial,
        customerId,
        issueDate,
        dueDate: daysAfter(issueDate, 14),
        gross: seededAmount(serial),
        currency,
        credited: 0,
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

  /** Takes back the payment of an invoice. Fiken does not promise that the invoice counts as modified. */
  unsettle(invoiceId: number): void {
    delete this.invoice(invoiceId).settledDate;
  }

  /** Writes the invoice off. */
  writeOff(invoiceId: number, date: string): void {
    Object.assign(this.invoice(invoiceId), { writeOff: true, settledDate: date, lastModifiedDate: date });
  }

  /** Credits an invoice: in full, which settles it, or in part. */
  credit(invoiceId: number, date: string, part?: number): FikenCreditNote {
    const invoice = this.invoice(invoiceId);
    const gross = part ?? invoice.gross;
    const serial = this.creditNotes.length + 1;
    const note: FikenCreditNote = {
      creditNoteId: this.ids + 3_800_000 + serial,
      creditNoteNumber: 20_000 + serial,
      customerId: invoice.customerId,
      invoiceId,
      issueDate: date,
      lastModifiedDate: date,
      gross,
      currency: invoice.currency,
      settled: true,
    };
    this.creditNotes.push(note);
    invoice.creditNoteIds.push(note.creditNoteId);
    invoice.credited += gross;
    invoice.lastModifiedDate = date;
    if (invoice.credited === invoice.gross) invoice.settledDate = date;
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
    const company = this.companies.get(slug) ?? new FikenCompany(slug, this.companies.size * 10_000_000);
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

/** The file name of a document. */
export function fileName(kind: 'faktura' | 'kreditnota', number: number, issueDate: string): string {
  return `${kind}_${issueDate.slice(0, 4)}_${number}.pdf`;
}

/** The id in a file's download link. */
export function fileId(slug: string, name: string): string {
  const digits = createHash('sha256').update(`${slug}/${name}`).digest('hex').slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A Norwegian payment reference: the digits with their MOD10 (Luhn) check digit. */
function kidOf(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

/** The date some days after a date, both as `YYYY-MM-DD`. */
function daysAfter(date: string, days: number): string {
  const time = new Date(`${date}T00:00:00Z`);
  time.setUTCDate(time.getUTCDate() + days);
  return time.toISOString().slice(0, 10);
}
