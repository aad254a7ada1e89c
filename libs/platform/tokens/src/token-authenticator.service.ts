import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PipelinedConnectionsService, prepared } from '@platform/database';
import type { AuthenticatedCustomer } from './authenticated-customer';
import { RefusedToken } from './refused-token';
import type { Scope } from './scopes';
import { TokenChangeListenerService } from './token-change-listener.service';
import { isWellFormed, TOKEN_LENGTH } from './token-format';
import { TokenUseRecorderService } from './token-use-recorder.service';

/** Maximum number of cached tokens; beyond it the oldest entry is dropped. */
const CAPACITY = 50_000;
/**
 * Maximum age of a cached token: bounds the delay of changes that bypass the operator's programs and are not announced.
 */
const REMEMBER_MS = 60_000;

// The database tells how long the token is still valid: the process's own date decides nothing. Columns by name: a
// migration that adds one must not break statements that connections have prepared.
// The reason of a refusal comes with it: floods of unknown tokens cost one statement each.
const AUTHENTICATE = prepared(
  'tokens.authenticate',
  `select token_id, customer_id, scopes, extract(epoch from expires_at - app.now())::float8 * 1000 as valid_ms, ai_enabled, requests_per_minute, ai_per_minute, sms_per_minute,
     case when token_id is null then app.token_refusal(given.hash) end as refusal
   from (select $1::bytea as hash) given left join app.authenticate(given.hash) on true`,
);

type Authenticated = AuthenticatedCustomer | RefusedToken;

interface Refusal {
  token_id: null;
  /** Null if it became valid meanwhile. */
  refusal: 'expired' | 'deactivated' | 'unknown' | null;
}

interface Row {
  token_id: string;
  customer_id: string;
  scopes: Scope[];
  valid_ms: number | null;
  ai_enabled: boolean;
  requests_per_minute: number | null;
  ai_per_minute: number | null;
  sms_per_minute: number | null;
}

interface Remembered {
  customer: AuthenticatedCustomer;
  until: number;
}

/**
 * Finds the customer of a token. Valid tokens are cached. The cache is used only while a change is certain to be
 * received within 100 ms; otherwise every call queries the database.
 */
@Injectable()
export class TokenAuthenticatorService {
  private readonly remembered = new Map<string, Remembered>();
  private readonly lookUps = new Map<string, Promise<Authenticated>>();
  /** Number of received changes. */
  private epoch = 0;

  constructor(
    private readonly pipeline: PipelinedConnectionsService,
    private readonly changes: TokenChangeListenerService,
    private readonly uses: TokenUseRecorderService,
  ) {
    changes.onChange = (customerId) => this.forget(customerId);
  }

  /** The customer of a valid token, at once if it is cached. @throws DatabaseUnavailableError */
  authenticate(token: string): Authenticated | Promise<Authenticated> {
    const key = tokenKey(token);
    const remembered = this.changes.trusted ? this.remembered.get(key) : undefined;
    if (remembered && remembered.until > performance.now()) return this.admit(key, remembered.customer);
    if (!isWellFormed(token)) return new RefusedToken('not_a_token');
    return this.lookUp(key).then((found) => (found instanceof RefusedToken ? found : this.admit(key, found)));
  }

  /**
   * The customer that a token belonged to when it was last looked at; undefined if that is not known. It admits nobody: it tells who
   * asks when not all can be served.
   */
  latelyHolderOf(token: string): string | undefined {
    return token.length === TOKEN_LENGTH ? this.remembered.get(tokenKey(token))?.customer.customerId : undefined;
  }

  private admit(key: string, customer: AuthenticatedCustomer): Authenticated {
    if (customer.expiresAt <= performance.now()) return new RefusedToken('expired');
    this.uses.record(key);
    return customer;
  }

  /** Queries the database. Concurrent calls with one token share the query only if its result can be trusted. */
  private lookUp(key: string): Promise<Authenticated> {
    if (!this.changes.trusted) return this.ask(key);
    const under = this.lookUps.get(key);
    if (under) return under;
    const asked = this.ask(key).finally(() => {
      if (this.lookUps.get(key) === asked) this.lookUps.delete(key);
    });
    this.lookUps.set(key, asked);
    return asked;
  }

  private async ask(key: string): Promise<Authenticated> {
    const epoch = this.epoch;
    const askedAt = performance.now();
    const hashed = Buffer.from(key, 'base64');
    const [row] = await this.pipeline.single<(Row | Refusal) & Record<string, unknown>>(AUTHENTICATE, [hashed]);
    if (!row) return new RefusedToken('unknown');
    if (row.token_id === null) return new RefusedToken(row.refusal ?? 'unknown');
    const customer = toCustomer(row, askedAt);
    // A change that was received during the query may be newer than its result.
    if (epoch === this.epoch) this.remember(key, customer);
    return customer;
  }

  private remember(key: string, customer: AuthenticatedCustomer): void {
    const oldest = this.remembered.size >= CAPACITY ? this.remembered.keys().next().value : undefined;
    if (oldest !== undefined) this.remembered.delete(oldest);
    this.remembered.set(key, { customer, until: performance.now() + REMEMBER_MS });
  }

  private forget(customerId: string | undefined): void {
    this.epoch++;
    this.lookUps.clear();
    if (customerId === undefined) this.remembered.clear();
    for (const [key, { customer }] of this.remembered)
      if (customer.customerId === customerId) this.remembered.delete(key);
  }
}

/** A token's hash as base64 text, which takes a third of the time of bytes. */
function tokenKey(token: string): string {
  return hash('sha256', token, 'base64');
}

function toCustomer(row: Row, askedAt: number): AuthenticatedCustomer {
  return {
    customerId: row.customer_id,
    tokenId: row.token_id,
    scopes: new Set(row.scopes),
    aiEnabled: row.ai_enabled,
    expiresAt: row.valid_ms === null ? Infinity : askedAt + row.valid_ms,
    limits: { requests: row.requests_per_minute, ai: row.ai_per_minute, sms: row.sms_per_minute },
  };
}
