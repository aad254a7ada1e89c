/** Whether the tests run on a Citus cluster: `TEST_DATABASE_URL` names one. */
export const ON_CLUSTER = process.env.TEST_CLUSTER === 'yes';

/**
 * Tests that a cluster cannot pass, because they look into the one server or do with it what nobody does with a node. There
 * they are skipped, and their title says why.
 */
export function describeOnOneServer(title: string, because: string, tests: () => void): void {
  if (ON_CLUSTER) skip(`${title} (not on a cluster: ${because})`, tests);
  else describe(title, tests);
}

/** Tests that need the nodes of a cluster. On one server they are skipped. */
export function describeOnCluster(title: string, tests: () => void): void {
  if (ON_CLUSTER) describe(title, tests);
  else skip(`${title} (skipped: TEST_DATABASE_URL names no Citus cluster)`, tests);
}

/** Tests that harm the cluster which other specs use: they run only when a setting asks for them, and then alone. */
export function describeAloneOnCluster(title: string, setting: string, tests: () => void): void {
  if (ON_CLUSTER && !process.env[setting]) skip(`${title} (skipped: no ${setting})`, tests);
  else describeOnCluster(title, tests);
}

/** A single test that a cluster cannot pass. */
export function itOnOneServer(title: string, because: string, test: () => Promise<void>, timeout?: number): void {
  // eslint-disable-next-line no-restricted-syntax -- the kind of server decides, and the title says so
  if (ON_CLUSTER) it.skip(`${title} (not on a cluster: ${because})`, test, timeout);
  else it(title, test, timeout);
}

function skip(title: string, tests: () => void): void {
  // eslint-disable-next-line no-restricted-syntax -- the kind of server decides, and the title says so
  describe.skip(title, tests);
}
