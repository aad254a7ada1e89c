import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Any, Between, DataSource, type EntityManager, In, IsNull } from 'typeorm';
import { AuditService } from '@platform/audit';
import { databaseNow } from '@platform/database';
import { requireText, ServiceError } from '@platform/errors';
import type { Scope } from './scopes';
import { ServiceToken } from './entities/service-token.entity';
import { ServiceTokenUse } from './entities/service-token-use.entity';
import { announceTokenChange } from './token-change-listener.service';
import { fingerprintOf, generateToken, hashRange, hashToken, isWellFormed, TOKEN_PREFIX } from './token-format';

/** A token to issue. */
export interface NewToken {
  customerId: string;
  /** Its purpose, such as `ERP production`. */
  name?: string;
  scopes: Scope[];
  /** Default: never. */
  expiresAt?: Date;
}

/** A new token. `token` is returned once and not stored. */
export interface IssuedToken {
  token: string;
  id: string;
  customerId: string;
  name: string | null;
  scopes: Scope[];
  expiresAt: Date | null;
  rotatedFrom: string | null;
}

/** The properties of a token that can be listed. */
export interface TokenSummary extends Omit<IssuedToken, 'token'> {
  /** The first 12 hexadecimal digits of the token's SHA-256, by which logs name it. */
  fingerprint: string;
  active: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** What people know a token by. */
export type TokenName = Pick<TokenSummary, 'id' | 'name' | 'fingerprint'>;

const HOUR_MS = 3_600_000;
/** One year. */
const MAX_GRACE_HOURS = 8760;
/** Longest name of a token, in Unicode characters. */
export const TOKEN_NAME_MAX = 80;
const IN_TEXT = new RegExp(`${TOKEN_PREFIX}[0-9A-Za-z]+`, 'g');

const ACCEPTED = `
  select count(*)::int as count from service_token t join customer c on c.id = t.customer_id
  where t.customer_id = $1 and t.active and c.active and (t.expires_at is null or t.expires_at > app.now())`;

/** Manages service tokens for the operator. Every change is audited and announced to all replicas. */
@Injectable()
export class TokensOperatorService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** Issues a token for a customer. @throws ServiceError not_found, invalid_request */
  issue(actor: string, order: NewToken): Promise<IssuedToken> {
    const { customerId, expiresAt = null } = order;
    const scopes = [...new Set(order.scopes)];
    const name = order.name === undefined ? null : tokenName(order.name);
    if (scopes.length === 0) throw new ServiceError('invalid_request', 'A token needs at least one scope');
    return this.dataSource.transaction(async (manager) => {
      await lockCustomer(manager, customerId);
      if (expiresAt && expiresAt <= (await databaseNow(manager)))
        throw new ServiceError('invalid_request', 'The expiry must be in the future');
      const issued = await this.insert(manager, { customerId, name, scopes, expiresAt, rotatedFrom: null });
      await this.audit.record(manager, {
        customerId,
        actor,
        action: 'token.issue',
        metadata: { token_id: issued.id, name, scopes, expires_at: expiresAt },
      });
      return issued;
    });
  }

  /**
   * Issues a token that replaces another one, with the same customer, name and scopes. The old one stays valid for the grace
   * time, so that the customer can change over without an interruption. @throws ServiceError not_found, invalid_request
   */
  rotate(actor: string, tokenId: string, graceHours: number): Promise<IssuedToken> {
    if (!(Number.isInteger(graceHours) && graceHours >= 0 && graceHours <= MAX_GRACE_HOURS)) {
      throw new ServiceError('invalid_request', `The grace time is a whole number from 0 to ${MAX_GRACE_HOURS} hours`);
    }
    return this.dataSource.transaction(async (manager) => {
      const known = await manager.findOneBy(ServiceToken, { id: tokenId });
      if (known) await lockCustomer(manager, known.customerId);
      const old = await this.lock(manager, tokenId);
      const now = await databaseNow(manager);
      const ends = new Date(now.getTime() + graceHours * HOUR_MS);
      if (!old.active || (old.expiresAt && old.expiresAt <= now)) {
        throw new ServiceError('invalid_request', 'A token that is no longer valid cannot be rotated; issue a new one');
      }
      // The old one's expiry is already its grace time, which the new one must not inherit.
      const [successor] = await manager.findBy(ServiceToken, { rotatedFrom: old.id });
      if (successor) throw new ServiceError('invalid_request', `The token was rotated; rotate ${successor.id} instead`);
      const { customerId, name, scopes, expiresAt } = old;
      const issued = await this.insert(manager, { customerId, name, scopes, expiresAt, rotatedFrom: old.id });
      const graceEnds = expiresAt && expiresAt < ends ? expiresAt : ends;
      await manager.update(ServiceToken, { id: old.id }, { expiresAt: graceEnds });
      await announceTokenChange(manager, customerId);
      const metadata = { token_id: old.id, new_token_id: issued.id, grace_hours: graceHours };
      await this.audit.record(manager, { customerId, actor, action: 'token.rotate', metadata });
      return issued;
    });
  }

  /** Names a token; its earlier calls are listed under the new name too. @throws ServiceError not_found, invalid_request */
  rename(actor: string, tokenId: string, given: string): Promise<{ id: string; customerId: string; name: string }> {
    const name = tokenName(given);
    return this.dataSource.transaction(async (manager) => {
      const { id, customerId, name: before } = await this.lock(manager, tokenId);
      await manager.update(ServiceToken, { id }, { name });
      const metadata = { token_id: id, from: before, to: name };
      await this.audit.record(manager, { customerId, actor, action: 'token.rename', metadata });
      return { id, customerId, name };
    });
  }

  /** Deactivates a token at once, on every replica. Idempotent. @throws ServiceError not_found */
  deactivate(actor: string, tokenId: string): Promise<{ id: string; customerId: string }> {
    return this.dataSource.transaction(async (manager) => {
      const { id, customerId, active } = await this.lock(manager, tokenId);
      if (active) {
        await manager.update(
          ServiceToken,
          { id, deactivatedAt: IsNull() },
          { active: false, deactivatedAt: () => 'app.now()' },
        );
        await announceTokenChange(manager, customerId);
        await this.audit.record(manager, { customerId, actor, action: 'token.deactivate', metadata: { token_id: id } });
      }
      return { id, customerId };
    });
  }

  /** One token. @throws ServiceError not_found */
  async show(id: string): Promise<TokenSummary> {
    const [token] = await this.withLastUse(await this.dataSource.manager.findBy(ServiceToken, { id }));
    if (!token) throw new ServiceError('not_found', `There is no token ${id}`);
    return token;
  }

  /** The names of tokens, by id. Ids of no token are left out. */
  async namesOf(ids: readonly string[]): Promise<Map<string, TokenName>> {
    if (ids.length === 0) return new Map();
    const tokens = await this.dataSource.manager.findBy(ServiceToken, { id: In([...ids]) });
    return new Map(tokens.map(({ id, name, tokenHash }) => [id, { id, name, fingerprint: fingerprintOf(tokenHash) }]));
  }

  /** A customer's tokens, newest first. */
  async list(customerId: string): Promise<TokenSummary[]> {
    const order = { createdAt: 'DESC', id: 'DESC' } as const;
    return this.withLastUse(await this.dataSource.manager.find(ServiceToken, { where: { customerId }, order }));
  }

  /** How many of a customer's tokens are accepted now: not those that have expired, such as rotated ones, nor any of a deactivated customer. */
  async countAccepted(customerId: string): Promise<number> {
    const [row] = await this.dataSource.query<[{ count: number }]>(ACCEPTED, [customerId]);
    return row.count;
  }

  /** The token with a fingerprint, or that is a text; more than one only if a fingerprint is ambiguous. @throws ServiceError not_found */
  async find(wanted: { fingerprint: string } | { token: string }): Promise<TokenSummary[]> {
    const range = hashRange('token' in wanted ? hashToken(wanted.token).toString('hex') : wanted.fingerprint);
    const found = await this.dataSource.manager.find(ServiceToken, { where: { tokenHash: Between(...range) } });
    if (found.length > 0) return this.withLastUse(found);
    throw new ServiceError('not_found', `There is no token with the fingerprint ${fingerprintOf(range[0])}`);
  }

  /**
   * The tokens that are in a text, such as a leaked file, or the one that has a fingerprint. @throws ServiceError not_found;
   * invalid_request unless one of the two is given, and for a text without a token
   */
  async findIn({ text, fingerprint }: { text?: string; fingerprint?: string }): Promise<TokenSummary[]> {
    if ((text === undefined) === (fingerprint === undefined))
      throw new ServiceError('invalid_request', 'Give a text with the token in it, or its fingerprint');
    if (fingerprint !== undefined) return this.find({ fingerprint });
    const alike = [...new Set(text?.match(IN_TEXT))];
    const [token, ...others] = alike.some(isWellFormed) ? alike.filter(isWellFormed) : alike;
    if (token === undefined)
      throw new ServiceError('invalid_request', `The text contains no token: one begins with ${TOKEN_PREFIX}`);
    if (others.length === 0) return this.find({ token });
    const hashes = [token, ...others].map(hashToken);
    const found = await this.dataSource.manager.find(ServiceToken, { where: { tokenHash: Any(hashes) } });
    if (found.length > 0) return this.withLastUse(found);
    throw new ServiceError('not_found', `None of the ${hashes.length} tokens in the text is known`);
  }

  private async withLastUse(tokens: ServiceToken[]): Promise<TokenSummary[]> {
    const customers = [...new Set(tokens.map(({ customerId }) => customerId))];
    const uses = await this.dataSource.manager.find(ServiceTokenUse, { where: { customerId: In(customers) } });
    const lastUse = new Map(uses.map(({ tokenId, lastUsedAt }) => [tokenId, lastUsedAt]));
    return tokens.map(({ id, customerId, tokenHash, name, scopes, active, expiresAt, rotatedFrom, createdAt }) => ({
      ...{ id, customerId, fingerprint: fingerprintOf(tokenHash), name, scopes, active, expiresAt, rotatedFrom },
      ...{ createdAt, lastUsedAt: lastUse.get(id) ?? null },
    }));
  }

  private async insert(
    manager: EntityManager,
    row: Pick<ServiceToken, 'customerId' | 'name' | 'scopes' | 'expiresAt' | 'rotatedFrom'>,
  ): Promise<IssuedToken> {
    const token = generateToken();
    const id = randomUUID();
    await manager.insert(ServiceToken, { ...row, id, tokenHash: hashToken(token) });
    return { token, id, ...row };
  }

  private async lock(manager: EntityManager, id: string): Promise<ServiceToken> {
    const token = await manager.findOne(ServiceToken, { where: { id }, lock: { mode: 'pessimistic_write' } });
    if (!token) throw new ServiceError('not_found', `There is no token ${id}`);
    return token;
  }
}

/**
 * Locks a customer, before all other locks, as each of the operator's changes of it does: a customer that is being erased gets no token
 * behind the erasure. @throws ServiceError not_found, or invalid_request for an erased one
 */
async function lockCustomer(manager: EntityManager, id: string): Promise<void> {
  const [customer] = await manager.query<{ erased: boolean }[]>(
    'select erased_at is not null as erased from customer where id = $1 for no key update',
    [id],
  );
  if (!customer) throw new ServiceError('not_found', `There is no customer ${id}`);
  if (customer.erased) throw new ServiceError('invalid_request', 'The customer was erased');
}

/** Line ends, and characters that nobody sees. */
const NOT_IN_A_NAME = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** A token's name without blanks around it. @throws ServiceError invalid_request if it is empty, too long or no line of visible text */
function tokenName(given: string): string {
  const name = given.trim();
  requireText(name, "The token's name", { min: 1, max: TOKEN_NAME_MAX });
  if (NOT_IN_A_NAME.test(name))
    throw new ServiceError('invalid_request', "The token's name must be one line, without invisible characters");
  return name;
}
