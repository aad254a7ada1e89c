import { SetMetadata, type Type } from '@nestjs/common';
import type { KeptReply } from '@platform/idempotency';

const CLAIMED_BY_SERVICE = 'http:key-claimed-by-service';

/** Finds what a replay says about the first try beside what was kept with its reply. */
export interface ReplayHeaders {
  /** The headers to add, for the customer in context. */
  of(kept: KeptReply): Promise<Record<string, string>>;
}

/** How a service that claims Idempotency-Keys itself wants them replayed. */
interface KeyRules {
  /** A provider, for what was not known yet when the reply was stored. */
  replayHeaders?: Type<ReplayHeaders>;
}

/**
 * Declares that the route's service claims the Idempotency-Key itself, because the effect is outside the database or takes
 * long. Every other POST runs in one transaction with its key and its reply, and must not wait for anything but the
 * database.
 */
export const KeyClaimedByService = (rules: KeyRules = {}) => SetMetadata(CLAIMED_BY_SERVICE, rules);

/** The rules of a route whose service claims the key; undefined for any other. */
export function keyRulesOf(handler: object): KeyRules | undefined {
  return Reflect.getMetadata(CLAIMED_BY_SERVICE, handler) as KeyRules | undefined;
}
