import type { Mutant } from '../mutant';

const STATEMENTS = 'libs/domains/ai/src/ledger/credit-ledger.statements.ts';
const SQL = 'libs/domains/ai/src/ledger/sql/';
const BATCHER = 'libs/domains/ai/src/ledger/batching/micro-batcher.ts';
const CONFIGURATION = 'libs/domains/ai/src/operator/ai-configuration-operator.service.ts';
const LEDGER = ['libs/domains/ai/src/ledger'];
const BOUNDS = ['test/contract/ai-credit-bounds'];
const OPERATOR = ['libs/domains/ai/src/operator', ...BOUNDS];
const HISTORIES = ['test/contract/ai-ledger-histories'];

/** The AI ledger: reservations, settlements, months, the operator's adjustments. */
export const ledger: Mutant[] = [
  {
    name: 'ledger: a batch that fails fails everybody in it',
    file: BATCHER,
    find: 'for (const one of batch) await this.runBatch([one]);',
    replace: 'batch.forEach(({ reject }) => reject(error));',
    specs: LEDGER,
  },
  {
    name: 'ledger: batches are not in one order',
    file: BATCHER,
    find: '.sort((a, b) => compare(a.item, b.item))',
    replace: '.filter((a) => compare(a.item, a.item) === 0)',
    specs: LEDGER,
  },
  {
    name: 'ledger: a batch may have any size',
    file: BATCHER,
    find: 'this.waiting.splice(0, size)',
    replace: 'this.waiting.splice(0, size * 1000)',
    specs: LEDGER,
  },
  {
    name: 'ledger: input and output tokens are mixed up',
    file: STATEMENTS,
    find: '      usage.output,',
    replace: '      usage.input,',
    specs: LEDGER,
  },
  {
    name: 'ledger: cache reads cost as cache writes',
    file: STATEMENTS,
    find: '      usage.cacheRead,',
    replace: '      usage.cacheWrite1h,',
    specs: [...LEDGER, 'test/e2e/ai-charging'],
  },
  {
    name: 'ledger: the audit log has the key of a customer',
    file: CONFIGURATION,
    find: "own_key: apiKey === null ? 'removed' : 'set'",
    replace: 'own_key: apiKey',
    specs: OPERATOR,
  },
  {
    name: 'ledger: an image costs nothing',
    file: 'libs/domains/ai/src/customer/message-request/input-tokens-bound.ts',
    find: ' + survey.images * IMAGE_TOKENS',
    replace: '',
    specs: ['libs/domains/ai/src/customer/message-request'],
  },
  {
    name: 'ledger: tool calls are bounded by their JSON',
    file: 'libs/domains/ai/src/customer/message-request/input-tokens-bound.ts',
    find: 'TOOL_EXPANSION = 4',
    replace: 'TOOL_EXPANSION = 1',
    specs: ['libs/domains/ai/src/customer/message-request'],
  },
  {
    name: 'ledger: what bytes do not bound is bounded by them',
    file: 'libs/domains/ai/src/customer/message-request/input-tokens-bound.ts',
    find: 'if (survey.unbounded) return contextTokens;',
    replace: '',
    specs: ['libs/domains/ai/src/customer/message-request'],
  },
  {
    name: 'ledger: what calls have reserved is free',
    file: `${SQL}reserve.sql`,
    find: 'acc.total_limit - acc.month_usage) - acc.reserved;',
    replace: 'acc.total_limit - acc.month_usage);',
    specs: LEDGER,
  },
  {
    name: 'ledger: a cache write of an hour is reserved at the price of five minutes',
    file: `${SQL}reserve.sql`,
    find: "when '1h' then greatest(acc.input, acc.cache_read, acc.cache_write_5m, acc.cache_write_1h)",
    replace: "when '1h' then greatest(acc.input, acc.cache_read, acc.cache_write_5m)",
    specs: LEDGER,
  },
  {
    name: 'ledger: the reservations of a batch are not added up',
    file: `${SQL}reserve.sql`,
    find: '        newly_reserved := newly_reserved + cost;',
    replace: '        newly_reserved := cost;',
    specs: LEDGER,
  },
  {
    name: "ledger: the month's limit has no effect",
    file: `${SQL}spendable.sql`,
    find: 'least(p_included, p_limit_left)',
    replace: 'p_included',
    specs: [...BOUNDS, ...LEDGER],
  },
  {
    name: 'ledger: the limit of the month before counts on',
    file: `${SQL}month/roll-over.sql`,
    find: 'month_included_usage = 0, ',
    replace: '',
    specs: [...BOUNDS, ...OPERATOR],
  },
  {
    name: 'ledger: included credit outlives its month',
    file: `${SQL}month/roll-over.sql`,
    find: 'expired := acc.included - kept;',
    replace: 'expired := 0;',
    specs: OPERATOR,
  },
  {
    name: 'ledger: a month is granted again and again',
    file: `${SQL}month/roll-over.sql`,
    find: 'acc.month >= p_month then',
    replace: 'acc.month > p_month then',
    specs: OPERATOR,
  },
  {
    name: 'ledger: more than was reserved is charged',
    file: `${SQL}settle.sql`,
    find: 'charge := least(call.cost, call.amount);',
    replace: 'charge := call.cost;',
    specs: LEDGER,
  },
  {
    name: 'ledger: a call is charged twice when it is named twice',
    file: `${SQL}settle.sql`,
    find: '    continue when (p_customers[owner], call.id) in (select * from unnest(settled_owners || late_owners, settled || late_ids));\n',
    replace: '',
    specs: LEDGER,
  },
  {
    name: 'ledger: purchased credit is used first',
    file: `${SQL}settle.sql`,
    find: 'from_purchased := least(charge - from_included, purchaseds[owner]);',
    replace: 'from_purchased := least(charge, purchaseds[owner]);',
    specs: LEDGER,
  },
  {
    name: 'ledger: output is free',
    file: `${SQL}settle.sql`,
    find: '+ u.output * h.output',
    replace: '+ 0 * h.output',
    specs: LEDGER,
  },
  {
    name: 'ledger: the operator takes what calls have reserved',
    file: `${SQL}credit.sql`,
    find: 'acc.purchased + part) < acc.reserved) then',
    replace: 'acc.purchased + part) < 0) then',
    specs: BOUNDS,
  },
  {
    name: 'ledger: a call that runs is given up',
    file: `${SQL}resolve-abandoned.sql`,
    find: '(h.deadline < moment or app.process_is_gone(h.process_id))',
    replace: '(h.created_at < moment)',
    specs: OPERATOR,
  },
  {
    name: 'ledger: what is given up stays reserved',
    file: `${SQL}resolve-abandoned.sql`,
    find: 'set reserved = reserved - freed',
    replace: 'set reserved = reserved',
    specs: LEDGER,
  },
  {
    name: 'ledger: what is released stays reserved',
    file: `${SQL}release.sql`,
    find: 'set reserved = a.reserved - f.amount',
    replace: 'set reserved = a.reserved',
    specs: LEDGER,
  },
  {
    name: 'ledger, histories: what purchased credit backs survives its month as included credit',
    file: `${SQL}month/kept-over-month.sql`,
    find: 'p_reserved - p_purchased, 0)',
    replace: 'p_reserved, 0)',
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: customers are shown included credit that the turn of the month takes',
    file: 'libs/domains/ai/src/customer/overview/overview-sql.ts',
    find: "${s.column('monthlyLimit')} - ${a.column('monthIncludedUsage')}, ${a.column('purchased')}, ${a.column('reserved')}), 0)",
    replace:
      "${s.column('monthlyLimit')} - ${a.column('monthIncludedUsage')}, ${a.column('purchased')}, ${a.column('reserved')}), ${a.column('included')})",
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: a late settlement takes what other calls have reserved',
    file: `${SQL}settle.sql`,
    find: 'usable + purchaseds[owner] - reserveds[owner]',
    replace: 'usable + purchaseds[owner]',
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: credit that a former month left is spent by calls of the new one',
    file: `${SQL}settle.sql`,
    find: 'usable := greatest(usable - carried_overs[owner], 0);',
    replace: '',
    specs: LEDGER,
  },
  {
    name: 'ledger, histories: who has reached the total limit is advised to buy',
    file: `${SQL}reserve.sql`,
    find: 'when least_cost > acc.total_limit - acc.month_usage then',
    replace: 'when least_cost <= spendable and least_cost > acc.total_limit - acc.month_usage then',
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: a repeated settlement tells nothing uncovered',
    file: `${SQL}settle.sql`,
    find: "'settled', u.uncovered,",
    replace: "'settled', 0::numeric,",
    specs: HISTORIES,
  },
  {
    name: 'ledger, audit: a process that reserves without a heartbeat looks dead',
    file: `${SQL}reserve.sql`,
    find: 'perform app.process_heartbeat(p_process);',
    replace: 'null;',
    specs: LEDGER,
  },
  {
    name: 'ledger, audit: a call is settled after its caller stopped waiting for a lock',
    file: `${SQL}settle.sql`,
    find: `  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;

  -- A statement of its own`,
    replace: '  -- A statement of its own',
    specs: LEDGER,
  },
];
