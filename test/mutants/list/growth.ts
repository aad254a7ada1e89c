import type { Mutant } from '../mutant';

const PARTITIONS = 'libs/platform/database/src/partitions/';
const JOBS = 'apps/worker/src/partitions/partition-jobs.ts';
const CARRY = 'libs/domains/ai/src/ledger/sql/carry-forward.sql';
const SPECS = ['test/contract/partition'];
const RETENTION = ['test/contract/ledger-retention', 'test/contract/partition-jobs'];

/** Months of tables that grow without end: made ahead, secured, dropped; and the ledger carried forward. */
export const growth: Mutant[] = [
  {
    name: 'growth: a month that is made later has no row level security',
    file: `${PARTITIONS}sql/create-partition.sql`,
    find: 'perform app.secure_partition(parent, partition::regclass);',
    replace: 'null;',
    specs: SPECS,
  },
  {
    name: 'growth: rows of the default partition are lost when their month is made',
    file: `${PARTITIONS}sql/create-partition.sql`,
    find: "execute format('insert into %s select * from %s', partition, held);",
    replace: 'null;',
    specs: SPECS,
  },
  {
    name: 'growth: a month is dropped as soon as it has ended',
    file: `${PARTITIONS}sql/drop-partition.sql`,
    find: "interval '2 months'",
    replace: "interval '1 month'",
    specs: SPECS,
  },
  {
    name: 'growth: a month too many is dropped',
    file: `${PARTITIONS}partition-queries.ts`,
    find: 'where month < date_trunc',
    replace: 'where month <= date_trunc',
    specs: SPECS,
  },
  {
    name: 'growth: rows in no month are not seen',
    file: `${PARTITIONS}partition-queries.ts`,
    find: 'id < %L or id >= %L',
    replace: 'id < %L and id >= %L',
    specs: SPECS,
  },
  {
    name: 'growth: the present month is not made',
    file: `${PARTITIONS}partitions.service.ts`,
    find: 'generate_series(0,',
    replace: 'generate_series(1,',
    specs: SPECS,
  },
  {
    name: 'growth: a month is given up when its table is in use',
    file: `${PARTITIONS}partitions.service.ts`,
    find: '|| attempt === ATTEMPTS',
    replace: '|| attempt > 0',
    specs: RETENTION,
  },
  {
    name: 'growth: the metric of rows in no month stays 0',
    file: JOBS,
    find: 'this.metrics.setStrayRows(table, stray);',
    replace: 'this.metrics.setStrayRows(table, 0);',
    specs: SPECS,
  },
  {
    name: 'growth: months of the ledger are dropped before they are carried forward',
    file: JOBS,
    find: "table === 'ai_ledger_entry' &&",
    replace: "table === 'ai_ledger' &&",
    specs: RETENTION,
  },
  {
    name: 'growth: the ledger is carried forward a month less than is dropped',
    file: JOBS,
    find: 'Date.UTC(year, number, 1)',
    replace: 'Date.UTC(year, number - 1, 1)',
    specs: RETENTION,
  },
  {
    name: 'growth: a retention of 0 months keeps nothing',
    file: JOBS,
    find: 'if (kept === 0) return;',
    replace: '',
    specs: RETENTION,
  },
  {
    name: 'growth: one account that is not carried forward is overlooked',
    file: 'libs/domains/ai/src/worker/ledger-retention.service.ts',
    find: 'complete &&=',
    replace: 'complete =',
    specs: RETENTION,
  },
  {
    name: 'growth: entries are carried forward twice',
    file: CARRY,
    find: 'e.sequence > former and ',
    replace: '',
    specs: RETENTION,
  },
  {
    name: 'growth: an account is carried forward over the month that it is in',
    file: CARRY,
    find: 'acc.month <= to_char',
    replace: 'acc.month < to_char',
    specs: RETENTION,
  },
  {
    name: 'growth: purchased credit is carried forward as included',
    file: CARRY,
    find: "(p_customer, 'purchased', purchased, carried, p_before)",
    replace: "(p_customer, 'purchased', included, carried, p_before)",
    specs: RETENTION,
  },
];
