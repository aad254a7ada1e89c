import { SetMetadata } from '@nestjs/common';

const CLAIMED_BY_SERVICE = 'http:key-claimed-by-service';

/**
 * Declares that the route's service claims the Idempotency-Key itself, because the effect is outside the database or takes
 * long. Every other POST runs in one transaction with its key and its reply, and must not wait for anything but the
 * database.
 */
export const KeyClaimedByService = () => SetMetadata(CLAIMED_BY_SERVICE, true);

export function isKeyClaimedByService(handler: object): boolean {
  return Reflect.getMetadata(CLAIMED_BY_SERVICE, handler) === true;
}
