import { hash } from 'node:crypto';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { isTransientFailure, PipelinedConnectionsService, prepared, retryTransient } from '@platform/database';
import type { AuthenticatedCustomer, RefusedToken, TokenRefusal } from './authenticated-customer';
import type { Scope } from './scopes';
import { TokenChangeListenerService } from './token-change-listener.service';
import { isWellFormed, TOKEN_LENGTH } from './token-format';

/** Maximum number of cached tokens; beyond it the oldest entry is dropped. */
const CAPACITY = 50_000;
/**
 * Maximum age of a cached token: bounds the delay of changes that bypass the operator's programs and are not announced.
 */
const REMEMBER_MS = 60_000;

const WRITE_USES_EVERY_MS = 1000;
const RETRY_MS = 250;
/** How long the last write is retried at shutdown. */
const SHUTDOWN_RETRY_MS = 5000;
/** Maximum number of tokens whose use is to be written; above it further uses are dropped. */
const UNWRITTEN_USES = 50_000;

// The database tells how long the token is still valid: the process's own date decides nothing. Columns by name: a
// migration that adds one must not break statements that connections have prepared.
// The reason of a refusal comes with it: floods of unknown tokens cost one statement each. An answer of a standby may be old, and
// the listener hears of changes from the primary: it must not be remembered.
const AUTHENTICATE = prepared(
  'tokens.authenticate',
  `select token_id, customer_id, scopes, extract(epoch from expires_at - app.now())::float8 * 1000 as valid_ms, ai_enabled, requests_per_minute, ai_per_minute, sms_per_minute,
     current_setting('transaction_read_only') = 'on' as is_read_only,
     case when token_id is null then app.token_refusal_reason(given.hash) end as refusal
   from (select $1::bytea as hash) given left join app.authenticate(given.hash) on true`,
);

const RECORD = prepared('tokens.record-use', 'select app.record_token_uses($1, $2)');

type Authenticated = AuthenticatedCustomer | RefusedToken;

interface Refusal {
  token_id: null;
  /** Null if it became valid meanwhile. */
  refusal: Exclude<TokenRefusal, 'not_a_token'> | null;
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
  is_read_only: boolean;
}

interface Remembered {
  customer: AuthenticatedCustomer;
  until: number;
}

/**
 * Finds the customer of a token. Valid tokens are cached. The cache is used only while a change is certain to be
 * received within 100 ms; otherwise every call queries the database. When a token was last used is recorded.
 */
@Injectable()
export class TokenAuthenticatorService implements OnApplicationShutdown {
  private readonly remembered = new Map<string, Remembered>();
  private readonly lookUps = new Map<string, Promise<Authenticated>>();
  private readonly uses: TokenUses;
  /** Number of received changes. */
  private epoch = 0;

  constructor(
    private readonly pipeline: PipelinedConnectionsService,
    private readonly changes: TokenChangeListenerService,
  ) {
    this.uses = new TokenUses(pipeline);
    changes.onChange = (customerId) => this.forget(customerId);
  }

  /** The customer of a valid token, at once if it is cached. @throws DatabaseUnavailableError */
  authenticate(token: string): Authenticated | Promise<Authenticated> {
    const key = tokenKey(token);
    const remembered = this.changes.trusted ? this.remembered.get(key) : undefined;
    if (remembered && remembered.until > performance.now()) return this.admit(key, remembered.customer);
    if (!isWellFormed(token)) return { refusal: 'not_a_token' };
    return this.lookUp(key).then((found) => ('refusal' in found ? found : this.admit(key, found)));
  }

  /**
   * The customer that a token belonged to when it was last looked at; undefined if that is not known, or the token has expired. It admits
   * nobody: it tells who asks when not all can be served. Whoever found an old token must not ask in its customer's name.
   */
  latelyHolderOf(token: string): string | undefined {
    const customer = token.length === TOKEN_LENGTH ? this.remembered.get(tokenKey(token))?.customer : undefined;
    return customer && customer.expiresAt > performance.now() ? customer.customerId : undefined;
  }

  /** Stores the last uses: Nest closes the database, a global module, after all others. */
  onApplicationShutdown(): Promise<void> {
    return this.uses.close();
  }

  private admit(key: string, customer: AuthenticatedCustomer): Authenticated {
    if (customer.expiresAt <= performance.now()) return { refusal: 'expired' };
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
    if (!row) return { refusal: 'unknown' };
    if (row.token_id === null) {
      this.remembered.delete(key);
      return { refusal: row.refusal ?? 'unknown' };
    }
    const customer = toCustomer(row, askedAt);
    // A change that was received during the query may be newer than its result.
    if (epoch === this.epoch && !row.is_read_only) this.remember(key, customer);
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

/** Records when tokens were last used: every valid call counts, with one statement per second for all of them. */
class TokenUses {
  private readonly logger = new Logger(TokenUses.name);
  /** When each token was last used, by the base64 text of its hash. */
  private uses = new Map<string, number>();
  private timer?: NodeJS.Timeout;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly pipeline: PipelinedConnectionsService) {}

  /** Records a valid call. @param hash of its token, as base64 text */
  record(hash: string): void {
    if (this.uses.size < UNWRITTEN_USES || this.uses.has(hash)) this.uses.set(hash, performance.now());
    this.schedule();
  }

  /** Writes the recorded uses. If the database is unavailable, it retries every second. */
  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.write());
  }

  /** Stores the last uses. */
  async close(): Promise<void> {
    const retries = { pauseMs: RETRY_MS, forMs: SHUTDOWN_RETRY_MS };
    this.writing = this.writing
      .then(() => retryTransient(() => this.store(), retries))
      .catch((error: unknown) =>
        this.logger.error({ msg: 'last use of tokens is lost', err: error, tokens: this.uses.size }),
      );
    await this.writing;
    clearTimeout(this.timer);
  }

  private async write(): Promise<void> {
    try {
      await this.store();
    } catch (error) {
      this.logger.warn({ msg: 'last use of tokens could not be written yet', err: error });
      this.schedule();
    }
  }

  /** Stores the recorded uses. @throws if the database is unavailable; they stay recorded */
  private async store(): Promise<void> {
    // Always in the same order: two replicas that write the same tokens must not deadlock.
    const uses = [...this.uses].sort(([a], [b]) => (a < b ? -1 : 1));
    if (uses.length === 0) return;
    this.uses = new Map();
    const now = performance.now();
    try {
      await this.pipeline.single(RECORD, [
        uses.map(([hash]) => Buffer.from(hash, 'base64')),
        uses.map(([, at]) => now - at),
      ]);
    } catch (error) {
      if (!isTransientFailure(error)) {
        // Not retried: the database would refuse it again and again, with everything recorded since.
        this.logger.error({ msg: 'last use of tokens could not be written', err: error });
        return;
      }
      for (const [hash, at] of uses) if (!this.uses.has(hash)) this.uses.set(hash, at);
      throw error;
    }
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), WRITE_USES_EVERY_MS);
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
