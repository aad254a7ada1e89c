import type { Scope } from './scopes';

/** The identity of the caller according to the bearer token. */
export interface AuthenticatedCustomer {
  readonly customerId: string;
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether the operator enabled AI for this customer. */
  readonly aiEnabled: boolean;
  /** When the token expires, in terms of `performance.now()`; Infinity for never. */
  readonly expiresAt: number;
  /** Requests per minute that the operator set for this customer; null means the default. */
  readonly limits: Readonly<Record<'requests' | 'ai' | 'sms', number | null>>;
}

/** Why a token is refused. */
export type TokenRefusal = 'expired' | 'deactivated' | 'customer_deactivated' | 'unknown' | 'not_a_token';

/** The outcome for a token that is not valid, in place of its customer. */
export interface RefusedToken {
  readonly refusal: TokenRefusal;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by RouteAccessGuard only. */
    customer?: AuthenticatedCustomer;
    /** The fingerprint of a token that was refused, for the operator. */
    refusedToken?: string;
  }
}
