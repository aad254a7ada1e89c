import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that the alerts run through, as Debian names them. */
const PROGRAMS = { prometheus: 'prometheus', alertmanager: 'prometheus-alertmanager' };

export type MonitoringPrograms = typeof PROGRAMS;

/** Paths of Prometheus and Alertmanager; undefined if one of them is not in the path. */
export function findMonitoring(): MonitoringPrograms | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const find = (name: string) => folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  const [prometheus, alertmanager] = [find(PROGRAMS.prometheus), find(PROGRAMS.alertmanager)];
  return prometheus && alertmanager ? { prometheus, alertmanager } : undefined;
}

/**
 * Tests that need Prometheus and Alertmanager. On a machine without them they are skipped with a message; in CI
 * (`CI=true`) that is a failure.
 */
export function describeWithMonitoring(title: string, tests: (programs: MonitoringPrograms) => void): void {
  const programs = findMonitoring();
  if (programs) return describe(title, () => tests(programs));
  const missing = `NOT TESTED: ${title}. ${Object.values(PROGRAMS).join(' or ')} is not in the path.`;
  console.warn(missing);
  it(missing, () => expect(process.env.CI).not.toBe('true'));
}
