import type { Mutant } from '../mutant';

const BOOK = 'libs/ai/src/ledger/hold-book.ts';
const BATCHER = 'libs/ai/src/ledger/micro-batcher.ts';
const CONFIGURATION = 'libs/ai/src/operator/ai-configuration.ts';
const LEDGER = ['libs/ai/src/ledger'];
const BOUNDS = ['test/contract/ai-credit-bounds'];
const OPERATOR = ['libs/ai/src/operator', ...BOUNDS];

/** The AI ledger: reservations, settlements, months, the operator's bookings. */
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
    file: BOOK,
    find: 'batch.map(({ usage }) => usage.output),',
    replace: 'batch.map(({ usage }) => usage.input),',
    specs: LEDGER,
  },
  {
    name: 'ledger: cache reads cost as cache writes',
    file: BOOK,
    find: 'batch.map(({ usage }) => usage.cacheRead),',
    replace: 'batch.map(({ usage }) => usage.cacheWrite1h),',
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
    file: 'libs/ai/src/messages/input-tokens-bound.ts',
    find: ' + survey.images * IMAGE_TOKENS',
    replace: '',
    specs: ['libs/ai/src/messages'],
  },
  {
    name: 'ledger: tool calls are bounded by their JSON',
    file: 'libs/ai/src/messages/input-tokens-bound.ts',
    find: 'TOOL_EXPANSION = 4',
    replace: 'TOOL_EXPANSION = 1',
    specs: ['libs/ai/src/messages'],
  },
  {
    name: 'ledger: what bytes do not bound is bounded by them',
    file: 'libs/ai/src/messages/input-tokens-bound.ts',
    find: 'if (survey.unbounded) return contextTokens;',
    replace: '',
    specs: ['libs/ai/src/messages'],
  },
];
