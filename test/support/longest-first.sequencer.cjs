const { default: Sequencer } = require('@jest/test-sequencer');

/** Specs that take longest, longest first. Most of their time they wait: for graces, leases and time limits. */
const LONGEST = [
  'test/faults/ai-credit.spec.ts',
  'test/faults/invoice-sync-kills.spec.ts',
  'test/faults/local-start.spec.ts',
  'test/faults/process.spec.ts',
  'test/faults/invoice-sync-bad-accounts.spec.ts',
  'test/faults/idempotency-kills.spec.ts',
  'test/faults/database.spec.ts',
  'test/documents/guide-faults.spec.ts',
  'test/documents/guide.spec.ts',
  'libs/domains/invoices/src/adapters/fiken/fiken-lane.spec.ts',
  'libs/platform/jobs/src/job-runner.spec.ts',
  'test/e2e/tokens.spec.ts',
  'test/contract/ai-gateway.spec.ts',
];

/**
 * Starts the longest specs first, so that none of them runs alone at the end. Jest knows which they are from earlier runs;
 * in a fresh clone it would go by the size of the files.
 */
module.exports = class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (sorted.some(({ duration }) => duration !== undefined)) return sorted;
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(name));
      return found < 0 ? LONGEST.length : found;
    };
    return sorted.toSorted((a, b) => place(a) - place(b));
  }
};
