import type { AppConfig } from './schema';

/** Prefix of the customers' API; health checks and documentation have other paths. */
export const API_PREFIX = 'api/v1';

/** The address under which customers reach the service. */
export function customerOrigin({ PUBLIC_URL, PORT }: Pick<AppConfig, 'PUBLIC_URL' | 'PORT'>): string {
  return PUBLIC_URL ?? `http://localhost:${PORT}`;
}

/** The address of their API, without a slash at the end. */
export function customerApiAddress(config: Pick<AppConfig, 'PUBLIC_URL' | 'PORT'>): string {
  return `${customerOrigin(config)}/${API_PREFIX}`;
}
