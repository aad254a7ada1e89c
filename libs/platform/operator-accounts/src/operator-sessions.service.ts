import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, LessThan, MoreThan } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { databaseNow } from '@platform/database';
import { ServiceError } from '@platform/errors';
import type { OperatorAccount } from './entities/operator-account.entity';
import { type LoginMethod, OperatorSession } from './entities/operator-session.entity';
import type { OperatorRole } from './operator-roles';
import { hashOfSecret, isSecret, newSecret } from './secret-text';

/** How long a session lasts, how long without a request of its person, and how long a login counts as fresh. */
export const SESSION_HOURS = 12;
const IDLE_MINUTES = 30;
export const FRESH_MINUTES = 5;
/** A person was asked for a login if that was not longer ago. */
export const ASKED_WITHIN_SECONDS = 60;
/** Uses are noted at most this often. */
const NOTED_EVERY_SECONDS = 60;
/** Ended sessions are kept for the questions that come later. */
const KEPT_DAYS = 90;

/** The person of a request. */
export interface AuthenticatedOperator {
  sessionId: string;
  accountId: string;
  name: string;
  email: string;
  role: OperatorRole;
  /** As the audit log names the person. */
  actor: string;
  method: LoginMethod;
  expiresAt: Date;
  idleExpiresAt: Date;
  /** Until when the login counts as fresh. */
  freshUntil: Date;
  isFresh: boolean;
  /** For how many more seconds the login counts as fresh, by the database's clock. */
  freshForSeconds: number;
}

/** The browser of a request. */
export interface Browser {
  userAgent: string;
  network: string;
}

interface SessionRow extends Omit<AuthenticatedOperator, 'actor' | 'expiresAt' | 'idleExpiresAt' | 'freshUntil'> {
  userAgent: string;
  expiresAt: string | Date;
  idleExpiresAt: string | Date;
  freshUntil: string | Date;
  noted: boolean;
}

/**
 * A session of the future is none: it began while the database's clock was ahead, which has been set back, and would live for longer by
 * that. The clocks of a cluster's nodes differ by less than this.
 */
const AHEAD_SECONDS = 5;
const BEGUN = `s.created_at < app.now() + interval '${AHEAD_SECONDS} seconds'`;

const FIND = `
  select s.id as "sessionId", s.account_id as "accountId", a.name, a.email, a.role, s.method, s.user_agent as "userAgent",
    s.expires_at as "expiresAt", s.created_at + case when s.asked then interval '${FRESH_MINUTES} minutes' else '0' end as "freshUntil",
    case when $2 then app.now() else s.last_seen_at end + interval '${IDLE_MINUTES} minutes' as "idleExpiresAt",
    s.asked and s.created_at > app.now() - interval '${FRESH_MINUTES} minutes' as "isFresh",
    case when s.asked then greatest(0, floor(extract(epoch from s.created_at - app.now()) + ${FRESH_MINUTES * 60}))::int else 0 end
      as "freshForSeconds",
    s.last_seen_at > app.now() - interval '${NOTED_EVERY_SECONDS} seconds' as noted
  from operator_session s join operator_account a on a.id = s.account_id
  where s.token_hash = $1 and s.revoked_at is null and a.active and s.expires_at > app.now() and ${BEGUN}
    and s.last_seen_at > app.now() - interval '${IDLE_MINUTES} minutes'`;

/** Begins, finds and ends the sessions of accounts. */
@Injectable()
export class OperatorSessionsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /**
   * Begins a session, always with a new secret: one that was there before the login is never taken over.
   * @param login how, and when the person was asked; now if left out. An older answer is no fresh login
   * @param replaces the session that the browser had, whosever it was: it ends, since its cookie is gone
   * @returns the secret for the browser's cookie
   */
  async begin(
    account: OperatorAccount,
    { method, askedAt }: { method: LoginMethod; askedAt?: Date },
    browser: Browser,
    replaces?: string,
  ): Promise<string> {
    const secret = newSecret();
    const id = randomUUID();
    await this.dataSource.transaction(async (manager) => {
      await manager.query(
        `insert into operator_session (id, account_id, token_hash, method, user_agent, network, asked, created_at, last_seen_at, expires_at)
         values ($1, $2, $3, $4, $5, $6,
           coalesce($7 > app.now() - interval '${ASKED_WITHIN_SECONDS} seconds', true), app.now(), app.now(), app.now() + interval '${SESSION_HOURS} hours')`,
        [id, account.id, secret.hash, method, browser.userAgent, browser.network, askedAt],
      );
      await manager.query('update operator_account set last_login_at = app.now() where id = $1', [account.id]);
      if (replaces !== undefined) await end(manager, replaces);
      await manager.query(
        `delete from operator_session where account_id = $1 and expires_at < app.now() - interval '${KEPT_DAYS} days'`,
        [account.id],
      );
      await this.record(manager, account, 'session.login', { session_id: id, method, network: browser.network });
    });
    return secret.text;
  }

  /**
   * The person whose session a cookie is of; undefined if it is none, has ended, or its account is deactivated. A cookie that
   * another browser sends was stolen: its session ends. @param isAttended whether the request keeps the session
   */
  async authenticate(
    cookie: string | undefined,
    { userAgent, network }: Browser,
    isAttended = true,
  ): Promise<AuthenticatedOperator | undefined> {
    if (cookie === undefined || !isSecret(cookie)) return undefined;
    const [row] = await this.dataSource.query<SessionRow[]>(FIND, [hashOfSecret(cookie), isAttended]);
    if (!row) return undefined;
    const { sessionId, accountId, name } = row;
    if (row.userAgent !== userAgent) {
      await this.dataSource.transaction(async (manager) => {
        await end(manager, sessionId);
        const metadata = { session_id: sessionId, network, reason: 'another browser sent its cookie' };
        await this.record(manager, { id: accountId, name }, 'session.revoke', metadata);
      });
      return undefined;
    }
    if (isAttended && !row.noted) {
      await this.dataSource.query('update operator_session set last_seen_at = app.now() where id = $1', [sessionId]);
    }
    return {
      ...{
        sessionId,
        accountId,
        name,
        email: row.email,
        role: row.role,
        actor: `operator:${name}`,
        method: row.method,
      },
      expiresAt: new Date(row.expiresAt),
      idleExpiresAt: new Date(row.idleExpiresAt),
      freshUntil: new Date(row.freshUntil),
      isFresh: row.isFresh,
      freshForSeconds: row.freshForSeconds,
    };
  }

  /** Ends the session of a person who logs out. */
  async logOut({ sessionId, accountId, name }: AuthenticatedOperator): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await end(manager, sessionId);
      await this.record(manager, { id: accountId, name }, 'session.logout', { session_id: sessionId });
    });
  }

  /** The sessions of an account that have not ended, newest first. */
  async list(accountId: string): Promise<OperatorSession[]> {
    const now = await databaseNow(this.dataSource.manager);
    const idleSince = new Date(now.getTime() - IDLE_MINUTES * 60_000);
    return this.dataSource.manager.find(OperatorSession, {
      where: {
        accountId,
        revokedAt: IsNull(),
        createdAt: LessThan(new Date(now.getTime() + AHEAD_SECONDS * 1000)),
        expiresAt: MoreThan(now),
        lastSeenAt: MoreThan(idleSince),
      },
      order: { createdAt: 'DESC', id: 'DESC' },
    });
  }

  /** Ends a session. @param ofAccount the only account whose session may be ended; undefined: any. @throws ServiceError not_found */
  async revoke(actor: string, id: string, ofAccount?: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const session = await manager.findOneBy(OperatorSession, { id, ...(ofAccount && { accountId: ofAccount }) });
      if (!session) throw new ServiceError('not_found', `There is no session ${id}`);
      if (!(await end(manager, id))) return;
      const metadata = { session_id: id, account_id: session.accountId };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'session.revoke', metadata });
    });
  }

  /** Ends all sessions of an account. @returns how many */
  async revokeAll(actor: string, accountId: string): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const [, sessions] = await manager.query<[unknown[], number]>(
        `update operator_session set revoked_at = app.now()
         where account_id = $1 and revoked_at is null and expires_at > app.now()`,
        [accountId],
      );
      const metadata = { account_id: accountId, sessions };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'session.revoke', metadata });
      return sessions;
    });
  }

  private record(
    manager: EntityManager,
    { id, name }: Pick<OperatorAccount, 'id' | 'name'>,
    action: string,
    metadata: Record<string, unknown>,
  ): Promise<void> {
    const entry = {
      customerId: NO_CUSTOMER,
      actor: `operator:${name}`,
      action,
      metadata: { account_id: id, ...metadata },
    };
    return this.audit.record(manager, entry);
  }
}

/** @returns whether it had not ended before */
async function end(manager: EntityManager, id: string): Promise<boolean> {
  const [, ended] = await manager.query<[unknown[], number]>(
    'update operator_session set revoked_at = app.now() where id = $1 and revoked_at is null',
    [id],
  );
  return ended > 0;
}
