import type { Mutant } from '../mutant';

const REDIS = ['test/e2e/shared-rate-limits'];
const DATABASE = ['test/e2e/database-metrics'];
const COUNTERS = ['test/e2e/counters-at-start'];

/** Metrics that alerts are made of. */
export const monitoring: Mutant[] = [
  {
    name: 'monitoring: a Redis that refuses counts does not show',
    file: 'libs/platform/access/src/rate-limit/rate-limit-storage.service.ts',
    find: 'this.redis?.failed(error);',
    replace: '',
    specs: REDIS,
  },
  {
    name: 'monitoring: a Redis that takes counts again does not show',
    file: 'libs/platform/access/src/rate-limit/rate-limit-storage.service.ts',
    find: 'this.redis?.stored();',
    replace: '',
    specs: REDIS,
  },
  {
    name: 'monitoring: a database that is away counts as reachable',
    file: 'libs/platform/database/src/condition/database-metrics.ts',
    find: '?? false,',
    replace: '?? true,',
    specs: DATABASE,
  },
  {
    name: 'monitoring: a database that hangs holds up the scrape',
    file: 'libs/platform/metrics/src/read-at-scrape.ts',
    find: 'const PATIENCE_MS = 3_000;',
    replace: 'const PATIENCE_MS = 300_000;',
    specs: DATABASE,
  },
  {
    name: 'monitoring: what the database refuses to jobs is not counted',
    file: 'libs/platform/database/src/connections/deadline-client.ts',
    find: 'countRefusals(this);',
    replace: '',
    specs: DATABASE,
  },
  {
    name: 'monitoring: what the database refuses on pipelined connections is not counted',
    file: 'libs/platform/database/src/connections/pipelined-connection.ts',
    find: 'countRefusals(client);',
    replace: '',
    specs: DATABASE,
  },
  {
    name: 'monitoring: kinds of tokens appear with their first call',
    file: 'libs/domains/ai/src/customer/messages/metrics/charge-metrics.service.ts',
    find: 'for (const kind of KINDS) this.tokens.inc({ kind }, 0);',
    replace: '',
    specs: COUNTERS,
  },
  {
    name: 'monitoring: bytes of an upstream appear with its first reply',
    file: 'libs/platform/upstream/src/upstream-clients.service.ts',
    find: 'this.log.show(options.name);',
    replace: '',
    specs: COUNTERS,
  },
];
