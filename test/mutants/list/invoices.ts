import type { Mutant } from '../mutant';

const UPSERT = 'libs/domains/invoices/src/worker/store/sql/upsert-invoices.sql';
const DUE = 'libs/domains/invoices/src/worker/due-syncs.service.ts';
const BILLING_ACCOUNTS = 'libs/domains/invoices/src/operator/billing-accounts-operator.service.ts';
const VIEW = 'libs/domains/invoices/src/customer/invoices.service.ts';
const READER = 'libs/domains/invoices/src/customer/invoices.service.ts';
const STRIPE = 'libs/domains/invoices/src/adapters/stripe/stripe-invoice.ts';
const FIKEN = 'libs/domains/invoices/src/adapters/fiken/fiken-document.ts';
const OPERATOR_SERVICE = 'libs/domains/invoices/src/operator/invoices-operator.service.ts';
const SYNC = ['libs/domains/invoices/src/adapters/amounts', 'test/contract/invoice'];
const INVOICE_SPECS = ['test/e2e/invoice', 'test/contract/invoice'];
const OPERATOR = ['test/e2e/operator-invoices'];

/** Invoices: sources, the customer's view, the operator's changes. */
export const invoices: Mutant[] = [
  {
    name: 'invoices: due today is overdue',
    file: VIEW,
    find: '${dueDate} < (app.now()',
    replace: '${dueDate} <= (app.now()',
    specs: INVOICE_SPECS,
  },
  {
    name: 'invoices: the day that decides what is overdue is that of UTC',
    file: VIEW,
    find: 'escapeLiteral(timeZone)',
    replace: "escapeLiteral(timeZone && 'UTC')",
    specs: INVOICE_SPECS,
  },
  {
    name: 'invoices: a paid one is overdue',
    file: VIEW,
    find: "${invoice.column('status')} = 'open'",
    replace: "${invoice.column('status')} <> 'void'",
    specs: INVOICE_SPECS,
  },
  {
    name: 'invoices: a credit note is overdue',
    file: VIEW,
    find: " and ${invoice.column('type')} = 'invoice'",
    replace: '',
    specs: INVOICE_SPECS,
  },
  {
    name: 'invoices: the last day of a period is left out',
    file: READER,
    find: "{ property: 'issueDate', operator: '<=' }",
    replace: "{ property: 'issueDate', operator: '<' as '<=' }",
    specs: INVOICE_SPECS,
  },
  {
    name: 'invoices: drafts are listed',
    file: READER,
    find: "<> 'draft'",
    replace: 'is not null',
    // Row level security hides them as well: it is off here.
    specs: ['test/e2e/isolation/named-id'],
  },
  {
    name: 'invoices: issued at 23:30 UTC is issued that day',
    file: STRIPE,
    find: 'issueDate: calendar.dateOf(timeOf(issued)),',
    replace: 'issueDate: timeOf(issued).toISOString().slice(0, 10),',
    specs: SYNC,
  },
  {
    name: 'invoices: an invoice is issued when its draft was made',
    file: STRIPE,
    find: 'invoice.status_transitions.finalized_at ?? invoice.created',
    replace: 'invoice.created',
    specs: SYNC,
  },
  {
    name: 'invoices: what is due on a partly paid one is the whole',
    file: STRIPE,
    find: 'minorUnits(invoice.amount_remaining, code)',
    replace: 'minorUnits(invoice.total, code)',
    specs: SYNC,
  },
  {
    name: "invoices: another customer's invoice is stored",
    file: STRIPE,
    find: 'if (invoice.customer !== account) return',
    replace: "if (invoice.customer === '') return",
    specs: SYNC,
  },
  {
    name: "invoices: another contact's invoice is stored",
    file: FIKEN,
    find: 'if (String(invoice.customer.contactId) !== account) return',
    replace: "if (account === '') return",
    specs: SYNC,
  },
  {
    name: 'invoices: one that was written off is paid',
    file: FIKEN,
    find: "if (sale?.writeOff) return 'uncollectible';",
    replace: '',
    specs: SYNC,
  },
  {
    name: 'invoices: a currency without decimals has two',
    file: 'libs/platform/money/src/minor-units.ts',
    find: 'DECIMALS[currency] ?? 2',
    replace: '2',
    specs: ['libs/platform/money'],
  },
  {
    name: 'invoices: an amount finer than the currency is rounded',
    file: 'libs/platform/money/src/minor-units.ts',
    find: ' || fraction.length > decimals',
    replace: '',
    specs: ['libs/platform/money', 'test/e2e/operator-invoices'],
  },
  {
    name: "invoices: a source's invoice is changed by the operator",
    file: OPERATOR_SERVICE,
    find: "if (source !== 'manual')",
    replace: "if (source === ('none' as never))",
    specs: ['test/e2e/operator-invoices'],
  },
  {
    name: 'invoices: on a paid one everything is due',
    file: OPERATOR_SERVICE,
    find: "status === 'open' || status === 'uncollectible'",
    replace: "status !== 'void'",
    specs: ['test/e2e/operator-invoices'],
  },
  {
    name: 'invoices: two customers share a number',
    file: 'libs/domains/invoices/src/operator/manual-invoices-operator.service.ts',
    find: "      await manager.insert(InvoiceNumber, { source: 'manual', type: 'invoice', number: invoice.number, sourceId });\n",
    replace: '',
    specs: ['test/contract/invoice-numbers'],
  },
  {
    name: 'invoices: a credit request’s invoice is due at once',
    file: 'libs/domains/credit-requests/src/operator/credit-requests-operator.service.ts',
    find: 'DAYS_TO_PAY = 14',
    replace: 'DAYS_TO_PAY = 0',
    specs: ['libs/domains/credit-requests', 'test/e2e/credit-request-decisions'],
  },
  {
    name: 'invoices: one that is marked paid again was paid another day',
    file: OPERATOR_SERVICE,
    find: `invoice.paidAt ?? (() => 'app.now()')`,
    replace: `() => 'app.now()'`,
    specs: OPERATOR,
  },
  {
    name: 'invoices: the log forgets the status before',
    file: OPERATOR_SERVICE,
    find: 'from: before, to: status',
    replace: 'from: status, to: status',
    specs: OPERATOR,
  },
  {
    name: 'invoices: an account is linked to two customers',
    file: BILLING_ACCOUNTS,
    find: `      if (taken)
`,
    replace: `      if (taken && taken.customerId === customerId)
`,
    specs: SYNC,
  },
  {
    name: 'invoices: undoing a link removes the operator’s own invoices, too',
    file: BILLING_ACCOUNTS,
    find: 'manager.delete(Invoice, { customerId, source })',
    replace: 'manager.delete(Invoice, { customerId })',
    specs: [...OPERATOR, ...SYNC],
  },
  {
    name: 'invoices: undoing a link is not audited',
    file: BILLING_ACCOUNTS,
    find: `await this.audit.record(manager, { customerId, actor, action: 'invoice.unlink', metadata });`,
    replace: 'void metadata;',
    specs: OPERATOR,
  },
  {
    name: 'invoices: the sync of one customer makes those of all due',
    file: 'libs/domains/invoices/src/operator/sync-requests-operator.service.ts',
    find: '($1::uuid is null or customer_id = $1)',
    replace: '($1::uuid is null or customer_id is not null)',
    specs: [...SYNC, ...OPERATOR],
  },
  {
    name: 'invoices: failing accounts take the places of the others',
    file: DUE,
    find: 'and (failures > 0) = $2',
    replace: 'and $2::boolean is not null',
    specs: SYNC,
  },
  {
    name: 'invoices: the sync that has waited longest is last',
    file: DUE,
    find: 'order by due_at limit',
    replace: 'order by due_at desc limit',
    specs: SYNC,
  },
  {
    name: 'invoices: one that is issued keeps the place of its draft',
    file: UPSERT,
    find: `case when i.status = 'draft' then excluded.created_at else i.created_at end`,
    replace: 'i.created_at',
    specs: SYNC,
  },
  {
    name: 'invoices: one that did not change looks changed',
    file: UPSERT,
    find: 'then excluded.updated_at else i.updated_at end',
    replace: 'then excluded.updated_at else app.now() end',
    specs: SYNC,
  },
  {
    name: 'invoices: a paid one that its source has no more is void',
    file: 'libs/domains/invoices/src/worker/store/sync-statements.ts',
    find: `and status in ('open', 'uncollectible')\``,
    replace: `and status <> 'void'\``,
    specs: SYNC,
  },
];
