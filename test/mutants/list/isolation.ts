import type { Mutant } from '../mutant';

const NAMED = ['test/e2e/isolation/named'];

/** Isolation: each layer with the other two disabled. */
export const isolation: Mutant[] = [
  {
    name: 'isolation: a credit request is found by its number alone',
    file: 'libs/domains/credit-requests/src/customer/credit-requests.service.ts',
    find: 'from ai_credit_request where customer_id = $1 and id = $2`',
    replace: 'from ai_credit_request where $1::uuid is not null and id = $2`',
    specs: NAMED,
  },
  {
    name: 'isolation: the list of credit requests names no customer',
    file: 'libs/domains/credit-requests/src/customer/credit-requests.service.ts',
    find: 'where customer_id = $1 ${after}',
    replace: 'where $1::uuid is not null ${after}',
    specs: NAMED,
  },
  {
    name: 'isolation: the list of tickets names no customer',
    file: 'libs/domains/support/src/customer/tickets.service.ts',
    find: 'from support_ticket where customer_id = $1 ${after}',
    replace: 'from support_ticket where $1::uuid is not null ${after}',
    specs: NAMED,
  },
  {
    name: "isolation: a thread has every customer's replies",
    file: 'libs/domains/support/src/customer/tickets.service.ts',
    find: 'where r.customer_id = $1 and r.ticket_id',
    replace: 'where r.ticket_id',
    specs: NAMED,
  },
  {
    name: "isolation: a thread has the operator's notes",
    file: 'libs/domains/support/src/customer/tickets.service.ts',
    find: ' and not r.internal',
    replace: '',
    specs: NAMED,
  },
  {
    name: "isolation: a ticket may be about another customer's service",
    file: 'libs/domains/support/src/sql/open-support-ticket.sql',
    find: 's.customer_id = p_customer and s.id = p_service',
    replace: 's.id = p_service',
    specs: NAMED,
  },
  {
    name: 'isolation: a write has no customer in context',
    file: 'libs/domains/support/src/sql/open-support-ticket.sql',
    find: '  perform app.set_customer(p_customer);\n',
    replace: '',
    specs: ['test/e2e/support-tickets'],
  },
  {
    name: 'isolation: work without a customer goes on',
    file: 'libs/platform/context/src/customer-context.service.ts',
    find: "if (context?.customerId === undefined) throw new Error('No customer in context');",
    replace: "if (context?.customerId === undefined) return '00000000-0000-0000-0000-000000000000';",
    specs: ['libs/platform/database/src/customer-database'],
  },
  {
    name: "isolation: a service has another customer's events",
    file: 'libs/domains/status/src/customer/service-status.service.ts',
    find: 'where customer_id = $1 and service_id = s.id and starts_at',
    replace: 'where service_id = s.id and starts_at',
    specs: NAMED,
  },
  {
    name: 'isolation: reads are scoped by the statement before',
    file: 'libs/platform/database/src/reads/scoped-batch.ts',
    find: 'values: [customerId] });',
    replace: 'values: [this.reads[0]?.customerId ?? customerId] });',
    specs: ['test/e2e/isolation/row-level-security'],
  },
  {
    name: 'isolation: a PDF is found by its invoice alone',
    file: 'libs/domains/invoices/src/customer/pdf/invoice-pdfs.service.ts',
    find: 'customer_id = $1',
    replace: '$1::uuid is not null',
    specs: NAMED,
  },
  {
    name: 'isolation: row level security is not forced',
    file: 'libs/platform/database/src/migrations/customer-table.ts',
    find: 'force row level security',
    replace: 'no force row level security',
    specs: ['test/contract/schema'],
  },
  {
    name: 'isolation: the API may change a balance without the ledger',
    file: 'libs/domains/ai/src/migrations/account-tables.ts',
    find: "'ai_account', { apiMay: 'select' }",
    replace: "'ai_account', { apiMay: 'select, update' }",
    specs: ['test/contract/schema-rules'],
  },
  {
    name: "isolation: row level security shows the operator's notes",
    file: 'libs/domains/support/src/migrations/1763683200600-support.ts',
    find: ", visible: 'not internal'",
    replace: '',
    specs: ['test/contract/schema'],
  },
  {
    name: "isolation: a secret opens for another customer's row",
    file: 'libs/domains/ai/src/provider-keys/provider-keys.service.ts',
    find: '`ai-key:${customerId}`',
    replace: '`ai-key`',
    specs: ['test/e2e/ai-messages'],
  },
];
