const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Specs that take longest, longest first, and those that compute between those that wait: for graces, leases and time limits.
 * Beside several that wait, the processors would idle.
 */
const LONGEST = [
  'test/faults/ai-credit.spec.ts',
  'test/faults/invoice-sync-kills.spec.ts',
  'test/faults/local-start.spec.ts',
  'test/faults/invoice-sync-bad-accounts.spec.ts',
  'test/e2e/webhook-deliveries.spec.ts',
  'test/faults/webhook-kills.spec.ts',
  'test/faults/process.spec.ts',
  'test/e2e/event-causes.spec.ts',
  'test/operator-api/fuzz.spec.ts',
  'test/faults/webhook-scale.spec.ts',
  'test/e2e/tracing.spec.ts',
  'test/contract/generated-clients.spec.ts',
  'test/containers/rotation.spec.ts',
  'test/documents/guide-faults.spec.ts',
  'test/containers/interruptions.spec.ts',
  'test/faults/shutdown.spec.ts',
  'test/documents/guide.spec.ts',
  'test/faults/foreign-secrets-key.spec.ts',
  'test/faults/foreign-billing-zone.spec.ts',
  'test/documents/guide-upstream-faults.spec.ts',
  'test/e2e/unread-replies.spec.ts',
  'test/faults/ai-settlements.spec.ts',
  'test/faults/ai-settlement.spec.ts',
  'test/faults/hung-up-callers.spec.ts',
  'test/faults/time-shares.spec.ts',
  'test/faults/start-refusals.spec.ts',
  'test/faults/idempotency-kills.spec.ts',
  'test/faults/database.spec.ts',
  'libs/domains/ai/src/ledger/account-locks.spec.ts',
  'test/e2e/idempotency/same-key.spec.ts',
  'test/faults/replaced-replica.spec.ts',
  'test/operator-api/flood.spec.ts',
  'test/e2e/fuzz.spec.ts',
  'test/e2e/idempotency/order-of-outcomes.spec.ts',
  'test/contract/ai-ledgers-agree.spec.ts',
  'test/e2e/tokens.spec.ts',
  'test/e2e/ai-messages.spec.ts',
  'libs/domains/invoices/src/adapters/fiken/fiken-lane.spec.ts',
  'test/contract/ai-ledger-histories.spec.ts',
  'libs/domains/invoices/src/adapters/billing-sources.faults.spec.ts',
  'test/contract/ai-gateway.spec.ts',
  'libs/platform/jobs/src/job-runner.spec.ts',
  'test/contract/sms-gateway.spec.ts',
  'test/e2e/database-metrics.spec.ts',
  'test/faults/invoice-sync-asked-meanwhile.spec.ts',
  'test/faults/silent-database-shutdown.spec.ts',
  'test/faults/stopped-database.spec.ts',
  'test/faults/proxy-limits.spec.ts',
  'test/faults/former-schema.spec.ts',
  'test/faults/ai-streams.spec.ts',
  'test/faults/ai-streams-kills.spec.ts',
  'test/faults/idempotency-ai-kills.spec.ts',
  'test/faults/ai-lost-replies.spec.ts',
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
