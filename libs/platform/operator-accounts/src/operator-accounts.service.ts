import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In, IsNull } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { AppConfig } from '@platform/config';
import { isUniqueViolation } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { isPersonName, PERSON_NAME_MAX, personName } from '@platform/people';
import { OperatorAccount } from './entities/operator-account.entity';
import type { OperatorRole } from './operator-roles';
import { hashOfSecret, isSecret, newSecret } from './secret-text';

/** Minutes in which a link can be used. */
const LINK_MINUTES = 10;

/** A person to invite. */
export interface Invitation {
  email: string;
  /** Of a new account. */
  role?: OperatorRole;
  /** The name in the audit log; default: the part of the e-mail address before the @. */
  name?: string;
}

/** An account, with a link that logs it in once. The link is shown once and not stored. */
export interface InvitedAccount {
  id: string;
  email: string;
  name: string;
  role: OperatorRole;
  link: string;
  linkExpiresAt: Date;
}

/** Names that an error lists at most. */
const NAMED = 10;

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[^\s@<>"(),:;[\]\\]{1,190}$/u;

/** Manages accounts of the operator's people. Every change is audited. */
@Injectable()
export class OperatorAccountsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
    private readonly config: AppConfig,
  ) {}

  /**
   * Makes an account unless the address has one, and a link that logs it in once. Former links of the account are void.
   * @throws ServiceError invalid_request without a role for a new account, or with another one for an account that there is
   */
  async invite(actor: string, { email: given, role, name }: Invitation): Promise<InvitedAccount> {
    const email = given.trim().normalize('NFC');
    if (!EMAIL.test(email)) throw new ServiceError('invalid_request', `${email} is not an e-mail address`);
    try {
      return await this.dataSource.transaction(async (manager) => {
        const account = (await findByEmail(manager, email)) ?? (await this.add(manager, actor, { email, role, name }));
        if (!account.active)
          throw new ServiceError('invalid_request', `The account of ${email} is deactivated: activate it first`);
        if (role !== undefined && role !== account.role)
          throw new ServiceError('invalid_request', `${email} has the role ${account.role}: change that first`);
        const { link, expiresAt } = await this.makeLink(manager, account.id);
        const metadata = { account_id: account.id, email, role: account.role };
        await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'account.invite', metadata });
        return { id: account.id, email, name: account.name, role: account.role, link, linkExpiresAt: expiresAt };
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new ServiceError('invalid_request', 'Another account has the name, or the address: give another name');
    }
  }

  /** All accounts, by name. */
  list(): Promise<OperatorAccount[]> {
    return this.dataSource.manager.find(OperatorAccount, { order: { name: 'ASC', id: 'ASC' } });
  }

  /** The names of the people who may answer tickets: active accounts, by name. */
  async namesOfSupport(): Promise<string[]> {
    const where = { active: true, role: In(['support', 'admin']) };
    const accounts = await this.dataSource.manager.find(OperatorAccount, { where, order: { name: 'ASC', id: 'ASC' } });
    return accounts.map(({ name }) => name);
  }

  /**
   * The name of one of the people who may answer tickets, as the account has it; small and capital letters are alike. Without any
   * account, where people have the command line only, each name is one. @throws ServiceError invalid_request
   */
  async nameOfSupport(given: string): Promise<string> {
    const name = personName(given);
    const names = await this.namesOfSupport();
    const found = names.find((one) => one.toLowerCase() === name.toLowerCase());
    if (found !== undefined) return found;
    if (names.length === 0 && (await this.dataSource.manager.count(OperatorAccount)) === 0) return name;
    const others = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
    const known = names.length === 0 ? 'no active account' : `${names.slice(0, NAMED).join(', ')}${others}`;
    throw new ServiceError('invalid_request', `Nobody called ${name} may answer tickets; those who may: ${known}`);
  }

  /**
   * Whether an author of the audit log may still do what these roles may: the account is active and has one of them. A name without an
   * account is of a person who has the command line only, where there are no roles.
   */
  async isEntitled(manager: EntityManager, author: string, roles: readonly OperatorRole[]): Promise<boolean> {
    const account = await manager
      .createQueryBuilder(OperatorAccount, 'a')
      .where(`lower('operator:' || a.name) = lower(:author)`, { author })
      .getOne();
    return account === null || (account.active && roles.includes(account.role));
  }

  /** An account by its id, e-mail address or name, in this order: a name may be another person's address. @throws ServiceError not_found */
  async find(reference: string): Promise<OperatorAccount> {
    const account = await this.dataSource.manager
      .createQueryBuilder(OperatorAccount, 'a')
      .where('cast(a.id as text) = :text or lower(a.email) = lower(:text) or lower(a.name) = lower(:text)', {
        text: reference.trim(),
      })
      .orderBy('cast(a.id as text) = :text', 'DESC')
      .addOrderBy('lower(a.email) = lower(:text)', 'DESC')
      .getOne();
    if (!account) throw unknownAccount(reference);
    return account;
  }

  /**
   * Gives an account another role, which its sessions have at once. @param former the role that it has, so that none is replaced unseen
   * @throws ServiceError not_found; invalid_request for the last administrator, or if the account has another role by now
   */
  setRole(actor: string, id: string, role: OperatorRole, former?: OperatorRole): Promise<OperatorAccount> {
    return this.change(actor, id, 'account.role', { role }, former);
  }

  /** Deactivates an account and ends its sessions, or activates it. @throws ServiceError not_found, invalid_request */
  setActive(actor: string, id: string, active: boolean): Promise<OperatorAccount> {
    return this.change(actor, id, active ? 'account.activate' : 'account.deactivate', { active });
  }

  /** The account of a link, which is used up. @throws ServiceError login_failed */
  async useLink(token: string): Promise<OperatorAccount> {
    const [rows] = await this.dataSource.query<[{ account_id: string }[], number]>(
      `update operator_login_link set used_at = app.now()
       where token_hash = $1 and used_at is null and expires_at > app.now() returning account_id`,
      [isSecret(token) ? hashOfSecret(token) : Buffer.alloc(0)],
    );
    const id = rows[0]?.account_id;
    const account = id === undefined ? null : await this.dataSource.manager.findOneBy(OperatorAccount, { id });
    if (account?.active) return account;
    throw new ServiceError(
      'login_failed',
      'The link was used, has expired, or is mistyped; ask an administrator for a new one',
    );
  }

  /**
   * The account of a person whom the identity provider has authenticated, made or changed as it says. Subjects are unique at their
   * issuer only (OpenID Connect Core 1.0, 5.7): after another provider was configured, people get their accounts by their addresses.
   * @throws ServiceError login_failed for a deactivated account, and for one that another person of the provider has
   */
  async ofIdentity(identity: {
    issuer: string;
    subject: string;
    email: string;
    name: string;
    role: OperatorRole;
  }): Promise<OperatorAccount> {
    const { issuer, subject, email, role } = identity;
    const ids = { oidcIssuer: issuer, oidcSubject: subject };
    const actor = 'identity-provider';
    return this.dataSource.transaction(async (manager) => {
      const find = async () =>
        (await manager.findOneBy(OperatorAccount, ids)) ??
        (await manager.findOneBy(OperatorAccount, { ...ids, oidcIssuer: IsNull() })) ??
        (await findByEmail(manager, email));
      let known = await find();
      if (!known) {
        // The person may log in for the first time in two windows at once, or have the name of another who does.
        await manager.query('lock table operator_account in share row exclusive mode');
        known = await find();
      }
      const account = known ?? (await this.add(manager, actor, await freeName(manager, identity), ids));
      if (!account.active) throw new ServiceError('login_failed', 'Your account is deactivated');
      const isOfAnother = account.oidcSubject !== null && account.oidcSubject !== subject;
      if (isOfAnother && (account.oidcIssuer ?? issuer) === issuer)
        throw new ServiceError('login_failed', 'Another person has an account with your e-mail address');
      const isTheirs = account.oidcSubject === subject && account.oidcIssuer === issuer;
      if (account.role === role && isTheirs) return account;
      await manager.update(OperatorAccount, { id: account.id }, { role, ...ids });
      const metadata = { account_id: account.id, role, ...(!isTheirs && { issuer, subject }) };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'account.role', metadata });
      return Object.assign(account, { role, ...ids });
    });
  }

  private async add(
    manager: EntityManager,
    actor: string,
    { email, role, name: given }: Invitation,
    ids?: { oidcIssuer: string; oidcSubject: string },
  ): Promise<OperatorAccount> {
    if (role === undefined) throw new ServiceError('invalid_request', `There is no account of ${email}: give a role`);
    const name = personName(given ?? email.split('@', 1)[0] ?? '');
    const id = randomUUID();
    await manager.insert(OperatorAccount, { id, email, name, role, ...ids, createdAt: () => 'app.now()' });
    const identity = ids && { issuer: ids.oidcIssuer, subject: ids.oidcSubject };
    const metadata = { account_id: id, email, name, role, ...identity };
    await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'account.create', metadata });
    return manager.findOneByOrFail(OperatorAccount, { id });
  }

  private async makeLink(manager: EntityManager, accountId: string): Promise<{ link: string; expiresAt: Date }> {
    const secret = newSecret();
    await manager.query(
      'update operator_login_link set used_at = app.now() where account_id = $1 and used_at is null',
      [accountId],
    );
    const [{ expiresAt }] = await manager.query<[{ expiresAt: string | Date }]>(
      `insert into operator_login_link (id, account_id, token_hash, created_at, expires_at)
       values ($1, $2, $3, app.now(), app.now() + make_interval(mins => $4)) returning expires_at as "expiresAt"`,
      [randomUUID(), accountId, secret.hash, LINK_MINUTES],
    );
    const { OPERATOR_URL, OPERATOR_PORT } = this.config;
    // In the fragment: a browser sends it to no server, so that it is in no log.
    const link = `${OPERATOR_URL ?? `http://localhost:${OPERATOR_PORT}`}/#/login/link?token=${secret.text}`;
    return { link, expiresAt: new Date(expiresAt) };
  }

  private change(
    actor: string,
    id: string,
    action: string,
    change: Partial<Pick<OperatorAccount, 'role' | 'active'>>,
    formerRole?: OperatorRole,
  ): Promise<OperatorAccount> {
    return this.dataSource.transaction(async (manager) => {
      // One change at a time: two administrators cannot deactivate each other.
      await manager.query('lock table operator_account in share row exclusive mode');
      const account = await manager.findOneBy(OperatorAccount, { id });
      if (!account) throw unknownAccount(id);
      if (formerRole !== undefined && account.role !== formerRole)
        throw new ServiceError('invalid_request', `Meanwhile the account was given the role ${account.role}`);
      const changed = Object.assign(account, change);
      const others = await manager.countBy(OperatorAccount, { role: 'admin', active: true });
      await manager.update(OperatorAccount, { id }, change);
      const left = await manager.countBy(OperatorAccount, { role: 'admin', active: true });
      if (others > 0 && left === 0)
        throw new ServiceError('invalid_request', 'This is the last active administrator: make another one first');
      if (change.active === false) {
        await manager.query(
          'update operator_session set revoked_at = app.now() where account_id = $1 and revoked_at is null',
          [id],
        );
        await manager.query(
          'update operator_login_link set used_at = app.now() where account_id = $1 and used_at is null',
          [id],
        );
      }
      const metadata = { account_id: id, email: account.email, ...change };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action, metadata });
      return changed;
    });
  }
}

function unknownAccount(reference: string): ServiceError {
  return new ServiceError('not_found', `There is no account ${reference}`);
}

function findByEmail(manager: EntityManager, email: string): Promise<OperatorAccount | null> {
  return manager.createQueryBuilder(OperatorAccount, 'a').where('lower(a.email) = lower(:email)', { email }).getOne();
}

/** The name that the identity provider has, or one like it that is free. */
async function freeName(
  manager: EntityManager,
  { email, name, role }: { email: string; name: string; role: OperatorRole },
): Promise<Invitation> {
  const isTaken = (one: string) =>
    manager.createQueryBuilder(OperatorAccount, 'a').where('lower(a.name) = lower(:one)', { one }).getExists();
  const wished = likeName(isPersonName(name) ? name : (email.split('@', 1)[0] ?? ''));
  for (const one of [wished, likeName(email)]) if (!(await isTaken(one))) return { email, role, name: one };
  for (let count = 2; ; count++) {
    const numbered = `${wished.slice(0, PERSON_NAME_MAX - 8)} ${count}`;
    if (!(await isTaken(numbered))) return { email, role, name: numbered };
  }
}

/** A text as the name of a person: whatever stands in it, the person can log in. */
function likeName(text: string): string {
  const plain = text
    .trim()
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N} ._@+'’-]/gu, '_');
  const cut = plain
    .replace(/^[^\p{L}\p{M}\p{N}]+/u, '')
    .slice(0, PERSON_NAME_MAX)
    .trim();
  return isPersonName(cut) ? cut : 'person';
}
