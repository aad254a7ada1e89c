import { type ComponentType, lazy } from 'react';
import { call } from '../client/api';

/** Pause between two attempts, in milliseconds. */
const AGAIN_MS = 2_000;
/** A console that was loaded anew so lately, in milliseconds, is not loaded again for the same reason. */
const LATELY_MS = 10_000;

/**
 * A page whose code comes when it is first shown. While the service is away its code is awaited; if the service answers, but not
 * with this code, another version of it runs by now: the console is loaded anew.
 */
export const lazyPage = (load: () => Promise<{ default: ComponentType }>) =>
  lazy(async () => {
    for (;;) {
      try {
        return await load();
      } catch (error) {
        if (await isServiceThere()) return loadAnew(error);
      }
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  });

const isServiceThere = () =>
  call('GET', 'login/methods').then(
    () => true,
    () => false,
  );

/** @throws the error if that was tried already */
function loadAnew(error: unknown): Promise<never> {
  const [loading] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (loading?.type === 'reload' && performance.now() < LATELY_MS) throw error;
  location.reload();
  // The page ends here.
  return new Promise(() => undefined);
}
