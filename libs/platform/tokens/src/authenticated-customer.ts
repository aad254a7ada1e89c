import type { Scope } from './scopes';

/** Who calls, as the bearer token says. */
export interface AuthenticatedCustomer {
  readonly customerId: string;
  readonly tokenId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Whether the operator enabled AI for this customer. */
  readonly aiEnabled: boolean;
  /** When the token ends, on the clock of `performance.now()`; infinity when it does not. */
  readonly expiresAt: number;
  /** Requests per minute that the operator set for this customer; null means the default. */
  readonly limits: Readonly<Record<'requests' | 'ai' | 'sms', number | null>>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the bearer guard, by nothing else. */
    customer?: AuthenticatedCustomer;
  }
}
