import type { Mutant } from '../mutant';

const NAMED = ['test/e2e/isolation/named'];

/** Isolation: each layer with the other two disabled. */
export const isolation: Mutant[] = [
  {
    name: 'isolation: a credit request is found by its number alone',
    file: 'libs/domains/credit-requests/src/customer/credit-requests.service.ts',
    find: "by: ['customerId', 'id']",
    replace: "by: ['id', 'id']",
    specs: NAMED,
  },
  {
    name: 'isolation: lists name no customer',
    file: 'libs/platform/database/src/definitions/keyset-statement.ts',
    find: '`${customer} = $1`',
    replace: '`$1::uuid is not null and ${customer} is not null`',
    specs: NAMED,
  },
  {
    name: "isolation: a thread has every customer's replies",
    file: 'libs/domains/support/src/customer/ticket-view.ts',
    find: "where ${r.column('customerId')} = $1 and",
    replace: 'where',
    specs: NAMED,
  },
  {
    name: "isolation: a thread has the operator's notes",
    file: 'libs/domains/support/src/customer/ticket-view.ts',
    find: " and not ${r.column('internal')}",
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
    name: "isolation: a reply goes into another customer's ticket",
    file: 'libs/domains/support/src/sql/reply-to-support-ticket.sql',
    find: 't.customer_id = p_customer and t.id = p_ticket for update',
    replace: 't.id = p_ticket for update',
    specs: NAMED,
  },
  {
    name: "isolation: another customer's SMS is found by its id",
    file: 'libs/domains/sms/src/customer/sms-log.service.ts',
    find: "by: ['customerId', 'id']",
    replace: "by: ['id', 'id']",
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
    find: "${event.column('customerId')} = $1 and ",
    replace: '',
    specs: NAMED,
  },
  {
    name: 'isolation: reads are scoped by the statement before',
    file: 'libs/platform/database/src/connections/read-batch.ts',
    find: 'SET_CUSTOMER, [customerId])',
    replace: 'SET_CUSTOMER, [this.reads[0]?.customerId ?? customerId])',
    specs: ['test/e2e/isolation/row-level-security'],
  },
  {
    name: 'isolation: a PDF is found by its invoice alone',
    file: 'libs/domains/invoices/src/customer/pdf/invoice-pdfs.service.ts',
    find: "where ${invoice.column('customerId')} = $1 and",
    replace: 'where $1::uuid is not null and',
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
    file: 'libs/domains/ai/src/provider-keys/key-purpose.ts',
    find: '`ai-key:${customerId}`',
    replace: '`ai-key`',
    specs: ['test/e2e/ai-messages'],
  },
];
