import type { Mutant } from '../mutant';

const USAGE = 'libs/domains/ai/src/usage/';
const CSV = 'libs/platform/http/src/csv/';
const SPECS = ['test/e2e/ai-usage.spec'];
const ADD_UP = ['test/contract/ai-receipts-add-up'];
const ISOLATION = ['test/e2e/isolation'];
const EXPORTS = ['test/e2e/ai-usage-exports'];

/** What customers see of their usage: receipts, sums, ledger entries, and the same as CSV. */
export const usage: Mutant[] = [
  {
    name: 'usage: the verification does not look at what credit paid in the sums of a day',
    file: 'libs/domains/ai/src/operator/ai-verification-operator.service.ts',
    find: '(d.calls, d.included, d.purchased,',
    replace: '(d.calls, u.included, u.purchased,',
    specs: ['test/contract/ai-verification'],
  },
  {
    name: 'usage: a receipt is found by its id alone',
    file: `${USAGE}receipts/receipt-sql.ts`,
    find: "where ${u.column('customerId')} = $1 and ${u.column('id')} = $2",
    replace: "where $1::uuid is not null and ${u.column('id')} = $2",
    specs: ISOLATION,
  },
  {
    name: "usage: receipts are everybody's",
    file: `${USAGE}receipts/receipt-sql.ts`,
    find: "return `${u.column('customerId')} = $1",
    replace: 'return `$1::uuid is not null',
    specs: ISOLATION,
  },
  {
    name: "usage: sums are everybody's",
    file: `${USAGE}summary/usage-summary-sql.ts`,
    find: "where ${d.column('customerId')} = $1",
    replace: 'where $1::uuid is not null',
    specs: ISOLATION,
  },
  {
    name: "usage: ledger entries are everybody's",
    file: `${USAGE}ledger-entries/ledger-entries-sql.ts`,
    find: "where ${e.column('customerId')} = $1",
    replace: 'where $1::uuid is not null',
    specs: ISOLATION,
  },
  {
    name: "usage: a receipt's cost is what included credit paid",
    file: `${USAGE}receipts/receipt-sql.ts`,
    find: "${u.column('paidFromIncluded')} + ${u.column('paidFromPurchased')} as charged",
    replace: "${u.column('paidFromIncluded')} as charged",
    specs: [...SPECS, ...ADD_UP],
  },
  {
    name: 'usage: receipts end with the newest month',
    file: `${USAGE}receipts/ai-receipts.service.ts`,
    find: 'if (rows.length === count || from <= least) return rows;',
    replace: 'if (rows.length <= count) return rows;',
    specs: [...SPECS, ...ADD_UP, 'test/e2e/ai-usage-scale'],
  },
  {
    name: 'usage: receipts of one model are those of all',
    file: `${USAGE}receipts/ai-receipts.service.ts`,
    find: 'tokenId === null && model === null',
    replace: 'tokenId === null || model === null',
    specs: SPECS,
  },
  {
    name: 'usage: a call over midnight is not found by its token',
    file: `${USAGE}receipts/receipt-sql.ts`,
    find: 'min(n.day) - 1 as first',
    replace: 'min(n.day) as first',
    specs: [...SPECS, ...ADD_UP, 'test/contract/ai-receipts'],
  },
  {
    name: 'usage: the last day is left out',
    file: `${USAGE}period.ts`,
    find: 'startOf(to, 1, calendar)',
    replace: 'startOf(to, 0, calendar)',
    specs: SPECS,
  },
  {
    name: 'usage: of two bounds the wider counts',
    file: `${USAGE}period.ts`,
    find: 'starts.sort().at(-1)',
    replace: 'starts.sort().at(0)',
    specs: ['libs/domains/ai/src/usage'],
  },
  {
    name: 'usage: a cursor is good for another kind of entries',
    file: `${USAGE}ledger-entries/ai-ledger-entries.service.ts`,
    find: 'createdBefore, kind],',
    replace: 'createdBefore],',
    specs: [...SPECS, 'test/e2e/list-filters'],
  },
  {
    name: 'usage: an entry is on two pages',
    file: `${USAGE}ledger-entries/ledger-entries-sql.ts`,
    find: '${sequence} < least($6',
    replace: '${sequence} <= least($6',
    specs: [...SPECS, 'test/e2e/list-filters', 'test/e2e/ai-usage-scale'],
  },
  {
    name: 'usage: entries of calls are not found by their kind',
    file: `${USAGE}ledger-entries/ai-ledger-entries.service.ts`,
    find: "kind === undefined || kind === 'usage' ?",
    replace: 'kind === undefined ?',
    specs: SPECS,
  },
  {
    name: 'usage: a summary without days begins today',
    file: `${USAGE}summary/ai-usage-summary.service.ts`,
    find: "date_trunc('month', d.last::timestamp)::date",
    replace: 'd.last',
    specs: SPECS,
  },
  {
    name: 'usage: the next page of a summary is the one before',
    file: `${USAGE}summary/usage-summary-sql.ts`,
    find: "order === 'asc' ? '>' : '<'",
    replace: "order === 'asc' ? '<' : '>'",
    specs: SPECS,
  },
  {
    name: 'usage: sums of one token are those of all',
    file: `${USAGE}summary/usage-summary-sql.ts`,
    find: '($6::uuid is null or',
    replace: '(true or',
    specs: SPECS,
  },
  {
    name: 'usage: uncovered usage of a day is that of its last batch',
    file: 'libs/domains/ai/src/ledger/sql/batched/write-settlements.sql',
    find: 'uncovered = d.uncovered + excluded.uncovered',
    replace: 'uncovered = excluded.uncovered',
    specs: [...ADD_UP, 'test/contract/ai-ledgers-agree'],
  },
  {
    name: 'usage: a day is one of UTC',
    file: 'libs/domains/ai/src/ledger/sql/batched/write-settlements.sql',
    find: '(u.created_at at time zone p_time_zone)::date',
    replace: "(u.created_at at time zone 'UTC')::date",
    specs: [...ADD_UP, 'test/contract/ai-ledgers-agree'],
  },
  {
    name: 'usage: an export ends with its first portion',
    file: 'libs/platform/pagination/src/keyed-list.ts',
    find: 'rows.length < portion',
    replace: 'rows.length <= portion',
    specs: [...EXPORTS, 'libs/platform/pagination'],
  },
  {
    name: 'usage: a customer may have three exports at a time',
    file: `${CSV}csv-exports.service.ts`,
    find: 'own >= PER_CUSTOMER',
    replace: 'own > PER_CUSTOMER',
    specs: EXPORTS,
  },
  {
    name: 'usage: an export that has ended still counts',
    file: `${CSV}csv-exports.service.ts`,
    find: "closed.addEventListener('abort', () => this.left(customerId));",
    replace: '',
    specs: EXPORTS,
  },
  {
    name: 'usage: CSV is not sent to who wants both alike',
    file: `${CSV}wants-csv.decorator.ts`,
    find: 'csv >= json',
    replace: 'csv > json',
    specs: ['libs/platform/http/src/csv'],
  },
  {
    name: 'usage: a spreadsheet runs what a customer wrote',
    file: 'libs/platform/csv/src/csv.ts',
    find: 'FORMULA.test(cell) ?',
    replace: "FORMULA.test('') ?",
    specs: ['libs/platform/csv'],
  },
  {
    name: 'usage: a quotation mark ends its cell',
    file: 'libs/platform/csv/src/csv.ts',
    find: `replaceAll('"', '""')`,
    replace: `replaceAll('""', '"')`,
    specs: ['libs/platform/csv'],
  },
];
