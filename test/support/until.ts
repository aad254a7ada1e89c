import { setTimeout as wait } from 'node:timers/promises';

/** Polls until a condition holds. The test's own time limit ends it. */
export async function until(condition: () => boolean | Promise<boolean>, everyMs = 10): Promise<void> {
  while (!(await condition())) await wait(everyMs);
}
