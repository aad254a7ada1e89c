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

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by RouteAccessGuard only. */
    customer?: AuthenticatedCustomer;
    /** The fingerprint of a token that was refused, for the operator. */
    refusedToken?: string;
  }
}
