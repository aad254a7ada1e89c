import type { AppConfig } from './schema';

/** The sandbox accepts any credential. */
export const SANDBOX_CREDENTIAL = 'sandbox';

/**
 * How an upstream is reached: as configured; without that, in the sandbox, where one runs; else undefined.
 * @param inSandbox makes it from the sandbox's address
 */
export function orSandbox<Access>(
  configured: Access | undefined,
  { SANDBOX_URL }: Pick<AppConfig, 'SANDBOX_URL'>,
  inSandbox: (address: string) => Access,
): Access | undefined {
  return configured ?? (SANDBOX_URL === undefined ? undefined : inSandbox(SANDBOX_URL));
}
