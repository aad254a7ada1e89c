import type { Mutant } from '../mutant';

const CREDIT = 'libs/domains/ai/src/operator/ai-credit-operator.service.ts';
const PRICES = 'libs/domains/ai/src/operator/ai-prices-operator.service.ts';
const CUSTOMERS = 'libs/domains/customers/src/operator/customers-operator.service.ts';
const ACCESS = ['test/e2e/operator-access', 'test/e2e/operator-service-config'];
const TOKENS = ['test/e2e/tokens'];
const AI = ['libs/domains/ai/src/operator', 'test/e2e/operator-ai'];

/** What the operator does to customers, services, and AI credit and prices. */
export const operator: Mutant[] = [
  {
    name: 'customers: a limit of 0 per minute is taken',
    file: CUSTOMERS,
    find: 'limit !== null && limit < 1',
    replace: 'limit !== null && limit < 0',
    specs: ACCESS,
  },
  {
    name: 'customers: new limits are not announced',
    file: CUSTOMERS,
    find: `      await announceTokenChange(manager, id);
`,
    replace: '',
    specs: TOKENS,
  },
  {
    name: 'customers: the log does not say what changed',
    file: CUSTOMERS,
    find: 'metadata: { ...change } });',
    replace: 'metadata: {} });',
    specs: ACCESS,
  },
  {
    name: 'services: a change of a service changes its namesakes',
    file: 'libs/domains/services/src/operator/services-operator.service.ts',
    find: 'manager.update(CustomerServiceEntity, { customerId, id }, {',
    replace: 'manager.update(CustomerServiceEntity, { customerId }, {',
    specs: ACCESS,
  },
  {
    name: 'ledger: a price begins at midnight of UTC',
    file: PRICES,
    find: 'this.calendar.startOf(from)',
    replace: 'new Date(`${from}T00:00:00Z`)',
    specs: AI,
  },
  {
    name: 'ledger: an adjustment is not audited',
    file: CREDIT,
    find: `action: 'ai.credit',`,
    replace: `action: 'ai' as never,`,
    specs: AI,
  },
  {
    name: 'ledger: the operator is shown the unknown outcomes of everybody',
    file: CREDIT,
    find: `{ state: 'outcome_unknown' as const, ...(customerId && { customerId }) }`,
    replace: `{ state: 'outcome_unknown' as const }`,
    specs: AI,
  },
  {
    name: 'ledger: one-hour cache writes cost as five-minute ones unless told',
    file: PRICES,
    find: `timesRoundedUp(input, '2', DECIMALS)`,
    replace: `timesRoundedUp(input, '1.25', DECIMALS)`,
    specs: AI,
  },
  {
    name: 'erasure: a customer with unpaid invoices is erased',
    file: 'libs/schema/src/customer-data/customer-data-operator.service.ts',
    find: 'if (obstacles.length > 0)',
    replace: 'if (obstacles.length > 9)',
    specs: ['test/contract/customer-data'],
  },
  {
    name: 'erasure: only the first batch of a table goes',
    file: 'libs/schema/src/customer-data/customer-erasure.ts',
    find: 'count = row?.done ?? 0;',
    replace: 'count = row && rows < 0 ? row.done : 0; rows += row?.done ?? 0;',
    specs: ['test/contract/customer-data'],
  },
  {
    name: 'export: a table ends with its first portion',
    file: 'libs/schema/src/customer-data/customer-export.ts',
    find: 'if (rows.length < PORTION) return;',
    replace: 'return;',
    specs: ['test/contract/customer-data'],
  },
  {
    name: 'retention: open tickets go, too',
    file: 'libs/domains/support/src/worker/ticket-retention.service.ts',
    find: "and status = 'closed' and",
    replace: 'and',
    specs: ['test/contract/retention-jobs'],
  },
  {
    name: 'traces: another system is not told of the trace',
    file: 'libs/platform/upstream/src/call/attempt.ts',
    find: ', ...traceHeaders() }',
    replace: ' }',
    specs: ['test/e2e/tracing'],
  },
];
