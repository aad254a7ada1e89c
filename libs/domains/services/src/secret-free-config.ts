import { ServiceError } from '@platform/errors';
import type { SecretRedactor } from '@platform/secrets';

/**
 * Refuses a service's config that contains a configured secret or what looks like one, as a name or a value at any
 * depth: its customer can read it. The error says where, not what. @throws ServiceError invalid_request
 */
export function refuseSecrets(redactor: SecretRedactor, config: Record<string, unknown> | undefined): void {
  const place = config && placeOfSecret(redactor, config, 'config');
  if (place === undefined) return;
  throw new ServiceError(
    'invalid_request',
    `${place} looks like a secret, and the customer can read config. Nothing was stored`,
  );
}

function placeOfSecret(redactor: SecretRedactor, value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null) {
    return redactor.hasSecret(String(value)) ? place : undefined;
  }
  for (const [name, part] of Object.entries(value)) {
    if (redactor.hasSecret(name)) return `A name in ${place}`;
    const found = placeOfSecret(redactor, part, `${place}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
