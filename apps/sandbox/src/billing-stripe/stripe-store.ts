import { seededAmount } from '../shared/billing-documents';

/** States of an invoice at Stripe. */
type StripeStatus = 'draft' | 'open' | 'paid' | 'uncollectible' | 'void';

/** An invoice as the store keeps it. */
export interface StripeInvoice {
  id: string;
  customer: string;
  status: StripeStatus;
  /** Position in the order of creation; numbers follow it. */
  serial: number;
  /** ISO 4217, lower case as Stripe has it. */
  currency: string;
  /** Minor units. */
  total: number;
  /** Seconds since 1970. */
  created: number;
  /** The date to print on it, if it is another than that of its issue; seconds since 1970. */
  effectiveAt?: number;
  /** Seconds since 1970. */
  dueDate: number;
  /** Fields of the wire format to override, which makes the invoice malformed. */
  corrupted?: Record<string, unknown>;
}

/** A credit note as the store keeps it. */
export interface StripeCreditNote {
  id: string;
  customer: string;
  /** The invoice that it credits. */
  invoice: string;
  status: 'issued' | 'void';
  /** Position in the order of creation; numbers follow it. */
  serial: number;
  /** ISO 4217, lower case as Stripe has it. */
  currency: string;
  /** Minor units. */
  total: number;
  /** Seconds since 1970. */
  created: number;
  /** Fields of the wire format to override, which makes the note malformed. */
  corrupted?: Record<string, unknown>;
}

const DAY = 86_400;
const USUAL_STATUSES: readonly StripeStatus[] = ['paid', 'open', 'paid', 'paid', 'uncollectible', 'paid', 'void'];

/** A series of invoices; all fields but the customer and the count have a default. */
interface StripeSeries {
  customer: string;
  count: number;
  /** Used in turn; by default every state but draft. */
  statuses?: readonly StripeStatus[];
  currency?: string;
  /** When the first one was created. */
  from?: Date;
  everySeconds?: number;
}

/** Customers with their invoices and credit notes; the same calls create the same data in every run. */
export class StripeStore {
  private readonly byCustomer = new Map<string, StripeInvoice[]>();
  private readonly byId = new Map<string, StripeInvoice>();
  private readonly notes = new Map<string, StripeCreditNote>();
  private linkAge = 0;

  /** A customer without invoices; adding invoices adds the customer too. */
  addCustomer(id: string): void {
    if (!this.byCustomer.has(id)) this.byCustomer.set(id, []);
  }

  addInvoices(series: StripeSeries): StripeInvoice[] {
    const { customer, count, statuses = USUAL_STATUSES, currency = 'nok', everySeconds = 3600 } = series;
    this.addCustomer(customer);
    const first = Math.floor((series.from ?? new Date('2026-01-01T08:00:00Z')).getTime() / 1000);
    const added = Array.from({ length: count }, (_, index) => {
      const serial = this.byId.size + 1;
      const created = first + index * everySeconds;
      const invoice: StripeInvoice = {
        id: `in_sandbox${String(serial).padStart(10, '0')}`,
        customer,
        status: statuses[index % statuses.length] ?? 'open',
        serial,
        currency,
        total: seededAmount(serial),
        created,
        dueDate: created + 14 * DAY,
      };
      this.byId.set(invoice.id, invoice);
      return invoice;
    });
    const all = [...(this.byCustomer.get(customer) ?? []), ...added];
    this.byCustomer.set(customer, all.sort(byTimeDescending));
    return added;
  }

  /** Changes an invoice, such as `{ status: 'paid' }`. */
  update(id: string, change: Partial<Pick<StripeInvoice, 'status' | 'total' | 'effectiveAt' | 'dueDate'>>): void {
    Object.assign(this.known(id), change);
  }

  /** Gives an invoice to another customer. */
  move(id: string, customer: string): void {
    const invoice = this.known(id);
    const others = (this.byCustomer.get(invoice.customer) ?? []).filter((other) => other !== invoice);
    this.byCustomer.set(invoice.customer, others);
    invoice.customer = customer;
    this.byCustomer.set(customer, [...(this.byCustomer.get(customer) ?? []), invoice].sort(byTimeDescending));
  }

  /** Credits an invoice, by default its total. The invoice itself does not change. */
  addCreditNote(invoiceId: string, { total, created }: { total?: number; created?: number } = {}): StripeCreditNote {
    const invoice = this.known(invoiceId);
    const serial = this.notes.size + 1;
    const note: StripeCreditNote = {
      id: `cn_sandbox${String(serial).padStart(10, '0')}`,
      customer: invoice.customer,
      invoice: invoiceId,
      status: 'issued',
      serial,
      currency: invoice.currency,
      total: total ?? invoice.total,
      created: created ?? invoice.created + DAY,
    };
    this.notes.set(note.id, note);
    return note;
  }

  /** Changes a credit note or its wire format, such as `{ status: 'void' }`. */
  updateCreditNote(id: string, change: Partial<Pick<StripeCreditNote, 'status' | 'corrupted'>>): void {
    const note = this.notes.get(id);
    if (!note) throw new Error(`The sandbox has no Stripe credit note ${id}`);
    Object.assign(note, change);
  }

  getCreditNote(id: string): StripeCreditNote | undefined {
    return this.notes.get(id);
  }

  /** Credit notes, newest first, of one customer or of all; undefined for an unknown customer. */
  listCreditNotes(customer: string | undefined): readonly StripeCreditNote[] | undefined {
    if (customer !== undefined && !this.byCustomer.has(customer)) return undefined;
    const all = [...this.notes.values()];
    return all.filter((note) => customer === undefined || note.customer === customer).sort(byTimeDescending);
  }

  /** Makes one invoice malformed on the wire; `undefined` as a value removes the field. */
  corrupt(
    id: string,
    fields: Record<string, unknown> = { total: 'a lot', amount_due: null, created: 'yesterday' },
  ): void {
    this.known(id).corrupted = fields;
  }

  /** Expires all links to PDFs and pages, as Stripe does after some time. */
  expireLinks(): void {
    this.linkAge += 1;
  }

  get linkGeneration(): number {
    return this.linkAge;
  }

  get(id: string): StripeInvoice | undefined {
    return this.byId.get(id);
  }

  /** Invoices, newest first, of one customer or of all; undefined for an unknown customer. */
  list(customer: string | undefined): readonly StripeInvoice[] | undefined {
    return customer === undefined ? [...this.byId.values()].sort(byTimeDescending) : this.byCustomer.get(customer);
  }

  clear(): void {
    this.byCustomer.clear();
    this.byId.clear();
    this.notes.clear();
  }

  private known(id: string): StripeInvoice {
    const invoice = this.byId.get(id);
    if (!invoice) throw new Error(`The sandbox has no Stripe invoice ${id}`);
    return invoice;
  }
}

type Dated = Pick<StripeInvoice, 'created' | 'serial'>;

function byTimeDescending(a: Dated, b: Dated): number {
  return b.created - a.created || b.serial - a.serial;
}
