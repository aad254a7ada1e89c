import type { Mutant } from '../mutant';

const STATEMENTS = 'libs/domains/ai/src/ledger/calls/call-arrays.ts';
const SQL = 'libs/domains/ai/src/ledger/sql/';
const BATCHER = 'libs/domains/ai/src/ledger/batching/micro-batcher.ts';
const CONFIGURATION = 'libs/domains/ai/src/operator/ai-configuration-operator.service.ts';
const LEDGER = ['libs/domains/ai/src/ledger'];
const BOUNDS = ['test/contract/ai-credit-bounds'];
const OPERATOR = ['libs/domains/ai/src/operator', ...BOUNDS];
const HISTORIES = ['test/contract/ai-ledger-histories'];
const AGREE = ['test/contract/ai-ledgers-agree'];

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
    file: `${SQL}batched/reserve.sql`,
    find: 'acc.total_limit - acc.month_usage) - acc.reserved;',
    replace: 'acc.total_limit - acc.month_usage);',
    specs: AGREE,
  },
  {
    name: 'ledger: a cache write of an hour is reserved at the price of five minutes',
    file: `${SQL}pricing/input-ceiling.sql`,
    find: "when '1h' then greatest(p_input, p_read, p_write_5m, p_write_1h)",
    replace: "when '1h' then greatest(p_input, p_read, p_write_5m)",
    specs: LEDGER,
  },
  {
    name: 'ledger: the reservations of a batch are not added up',
    file: `${SQL}batched/reserve.sql`,
    find: 'newly_reserved := newly_reserved + reservation.amount;',
    replace: 'newly_reserved := reservation.amount;',
    specs: AGREE,
  },
  {
    name: "ledger: the month's limit has no effect",
    file: `${SQL}account/spendable.sql`,
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
    file: `${SQL}batched/settle.sql`,
    find: 'charge := least(call.cost, call.amount);',
    replace: 'charge := call.cost;',
    specs: AGREE,
  },
  {
    name: 'ledger: a call is charged twice when it is named twice',
    file: `${SQL}batched/settle.sql`,
    find: '    continue when call.id = any (named);\n',
    replace: '',
    specs: AGREE,
  },
  {
    name: 'ledger: purchased credit is used first',
    file: `${SQL}batched/settle.sql`,
    find: 'least(charge - carried - least(charge - carried, usable), acc.purchased);',
    replace: 'least(charge, acc.purchased);',
    specs: AGREE,
  },
  {
    name: 'ledger: output is free',
    file: `${SQL}batched/settle.sql`,
    find: '+ u.output * p.output',
    replace: '+ 0 * p.output',
    specs: AGREE,
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
    find: '(h.deadline < moment or (h.process_id is not null and h.process_id <> all (live)))',
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
    file: `${SQL}batched/release.sql`,
    find: 'set reserved = a.reserved - f.amount',
    replace: 'set reserved = a.reserved',
    specs: AGREE,
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
    find: 'coalesce(app.ai_kept_over_month(',
    replace: "greatest(${a.column('included')}, app.ai_kept_over_month(",
    specs: [...HISTORIES, 'test/e2e/ai-month', ...BOUNDS],
  },
  {
    name: 'ledger, histories: a late settlement takes what other calls have reserved',
    file: `${SQL}batched/settle.sql`,
    find: 'usable + acc.purchased - acc.reserved,',
    replace: 'usable + acc.purchased,',
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: credit that a former month left is spent by calls of the new one',
    file: `${SQL}batched/settle.sql`,
    find: 'usable := greatest(usable - acc.carried_over, 0);',
    replace: '',
    specs: ['libs/domains/ai/src/ledger/month-turn'],
  },
  {
    name: 'ledger, histories: who has reached the total limit is advised to buy',
    file: `${SQL}pricing/reservation-refusal.sql`,
    find: 'when p_needed > p_total_left then',
    replace: 'when p_needed <= p_spendable and p_needed > p_total_left then',
    specs: HISTORIES,
  },
  {
    name: 'ledger, histories: a repeated settlement tells nothing uncovered',
    file: `${SQL}batched/settled-before.sql`,
    find: 'u.cost - u.uncovered, u.uncovered,',
    replace: 'u.cost - u.uncovered, 0::numeric,',
    specs: HISTORIES,
  },
  {
    name: 'ledger, audit: a process that reserves one call without a heartbeat looks dead',
    file: `${SQL}per-customer/reserve.sql`,
    find: 'perform app.process_heartbeat(p_process);',
    replace: 'null;',
    specs: ['libs/domains/ai/src/liveness'],
  },
  {
    name: 'ledger, audit: a process that reserves without a heartbeat looks dead',
    file: `${SQL}batched/reserve.sql`,
    find: 'perform app.process_heartbeat(p_process);',
    replace: 'null;',
    specs: ['libs/domains/ai/src/liveness'],
  },
  {
    name: 'ledger: a call gives up its place in the queue for a contended account',
    file: 'libs/domains/ai/src/ledger/ledger-connections.service.ts',
    find: 'patient: 1000',
    replace: 'patient: 100',
    specs: ['libs/domains/ai/src/ledger/batching/contended-account'],
  },
  {
    name: 'ledger, audit: a call is settled after its caller stopped waiting for a lock',
    file: `${SQL}batched/settle.sql`,
    find: `  if clock_timestamp() > p_not_after then
    raise exception 'the caller has stopped waiting' using errcode = 'query_canceled';
  end if;

  usage.provider`,
    replace: '  usage.provider',
    specs: LEDGER,
  },
  {
    name: 'ledger, per customer: credit that a former month left is spent by calls of the new one',
    file: `${SQL}per-customer/settle.sql`,
    find: 'greatest(usable - acc.carried_over, 0)',
    replace: 'usable',
    specs: ['libs/domains/ai/src/ledger/month-turn'],
  },
  {
    name: 'ledger, per customer: a taken key reserves all the same',
    file: `${SQL}per-customer/reserve.sql`,
    find: "result.outcome := 'key_taken';",
    replace: 'null;',
    specs: AGREE,
  },
  {
    name: 'ledger: a call released twice in one batch is told what it asked for',
    file: `${SQL}batched/release.sql`,
    find: 'p_calls[coalesce(places[earlier], place)].outcome',
    replace: 'p_calls[place].outcome',
    specs: AGREE,
  },
];
