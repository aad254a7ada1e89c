import type { AppConfig } from './schema';

/** The sandbox accepts any credential. */
export const SANDBOX_CREDENTIAL = 'sandbox';

/** How an upstream is reached, such as its address and credentials, and whether it is the sandbox. */
export type Access<Means> = Means & { inSandbox: boolean };

/**
 * How an upstream is reached: as configured; without that, in the sandbox, where one runs; else undefined.
 * @param toSandbox makes it from the sandbox's address
 */
export function orSandbox<Means extends object>(
  configured: Means | undefined,
  { SANDBOX_URL }: Pick<AppConfig, 'SANDBOX_URL'>,
  toSandbox: (address: string) => Means,
): Access<Means> | undefined {
  if (configured) return { ...configured, inSandbox: false };
  return SANDBOX_URL === undefined ? undefined : { ...toSandbox(SANDBOX_URL), inSandbox: true };
}
