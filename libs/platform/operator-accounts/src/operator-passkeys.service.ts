import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { DataSource } from 'typeorm';
import { AuditService } from '@platform/audit';
import { NO_CUSTOMER } from '@platform/context';
import { isUniqueViolation } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { OperatorAccount } from './entities/operator-account.entity';
import { OperatorPasskey } from './entities/operator-passkey.entity';
import type { AuthenticatedOperator } from './operator-sessions.service';

/** The site whose passkeys are used. */
export interface PasskeySite {
  /** Its host, such as `localhost`: a passkey knows no address in numbers. */
  rpID: string;
  origin: string;
}

const SITE_NAME = 'Operator console';
const BASE64URL = /^[\w-]+$/;
/** A way to an authenticator, such as `internal` or `smart-card`. */
const TRANSPORT = /^[a-z][a-z-]{0,31}$/;

/** Loaded with the first passkey: programs that have none need the names of accounts, too. */
const webAuthn = () => import('@simplewebauthn/server');

/** Passkeys (WebAuthn) of accounts: registration, login, removal. */
@Injectable()
export class OperatorPasskeysService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly audit: AuditService,
  ) {}

  /** What a browser needs to make a passkey. */
  async creationOptions(
    operator: AuthenticatedOperator,
    { rpID }: PasskeySite,
  ): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const known = await this.list(operator.accountId);
    const { generateRegistrationOptions } = await webAuthn();
    return generateRegistrationOptions({
      rpName: SITE_NAME,
      rpID,
      userID: new TextEncoder().encode(operator.accountId),
      userName: operator.email,
      userDisplayName: operator.name,
      // Which maker an authenticator is of does not matter.
      attestationType: 'none',
      excludeCredentials: known.map(({ credentialId }) => ({ id: credentialId })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
  }

  /** Stores a passkey that a browser has made. @throws ServiceError invalid_request */
  async add(
    operator: AuthenticatedOperator,
    site: PasskeySite,
    given: { challenge: string | undefined; response: Record<string, unknown>; name: string },
  ): Promise<OperatorPasskey> {
    const name = given.name.trim();
    const { verifyRegistrationResponse } = await webAuthn();
    const { registrationInfo } = await this.verified('invalid_request', given.challenge, (expectedChallenge) =>
      verifyRegistrationResponse({
        response: given.response as unknown as RegistrationResponseJSON,
        ...{ expectedChallenge, expectedOrigin: site.origin, expectedRPID: site.rpID },
        requireUserVerification: true,
      }),
    );
    if (!registrationInfo) throw refused('invalid_request');
    const { credential } = registrationInfo;
    const id = randomUUID();
    return this.dataSource.transaction(async (manager) => {
      const made = {
        ...{ id, accountId: operator.accountId, credentialId: credential.id, name },
        publicKey: Buffer.from(credential.publicKey),
        counter: String(credential.counter),
        transports: transportsOf(credential.transports),
        createdAt: () => 'app.now()',
      };
      await manager.insert(OperatorPasskey, made).catch((cause: unknown) => {
        if (!isUniqueViolation(cause)) throw cause;
        throw new ServiceError('invalid_request', 'This passkey has been added before', { cause });
      });
      const metadata = { account_id: operator.accountId, passkey_id: id, name };
      const { actor } = operator;
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'passkey.add', metadata });
      return manager.findOneByOrFail(OperatorPasskey, { id });
    });
  }

  /** What a browser needs to log in with a passkey. It names no account: the passkey does. */
  async loginOptions({ rpID }: PasskeySite): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { generateAuthenticationOptions } = await webAuthn();
    return generateAuthenticationOptions({ rpID, userVerification: 'required' });
  }

  /** The account whose passkey has signed the challenge. @throws ServiceError login_failed */
  async logIn(
    site: PasskeySite,
    challenge: string | undefined,
    response: Record<string, unknown>,
  ): Promise<OperatorAccount> {
    const { manager } = this.dataSource;
    // Other texts are none, and the database does not take each of them.
    const credentialId = typeof response.id === 'string' && BASE64URL.test(response.id) ? response.id : '';
    const passkey = await manager.findOneBy(OperatorPasskey, { credentialId });
    if (!passkey) throw new ServiceError('login_failed', 'This passkey is not known here');
    const { verifyAuthenticationResponse } = await webAuthn();
    const { authenticationInfo } = await this.verified('login_failed', challenge, (expectedChallenge) =>
      verifyAuthenticationResponse({
        response: response as unknown as AuthenticationResponseJSON,
        ...{ expectedChallenge, expectedOrigin: site.origin, expectedRPID: site.rpID },
        requireUserVerification: true,
        credential: {
          id: passkey.credentialId,
          publicKey: new Uint8Array(passkey.publicKey),
          counter: Number(passkey.counter),
        },
      }),
    );
    await manager.update(
      OperatorPasskey,
      { id: passkey.id },
      { counter: String(authenticationInfo.newCounter), lastUsedAt: () => 'app.now()' },
    );
    const account = await manager.findOneBy(OperatorAccount, { id: passkey.accountId });
    if (!account?.active) throw new ServiceError('login_failed', 'Your account is deactivated');
    return account;
  }

  /** Passkeys of an account, oldest first. */
  list(accountId: string): Promise<OperatorPasskey[]> {
    return this.dataSource.manager.find(OperatorPasskey, {
      where: { accountId },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
  }

  /** Removes a passkey of a person. @throws ServiceError not_found */
  async remove({ accountId, actor }: AuthenticatedOperator, id: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.delete(OperatorPasskey, { id, accountId });
      if (affected === 0) throw new ServiceError('not_found', `You have no passkey ${id}`);
      const metadata = { account_id: accountId, passkey_id: id };
      await this.audit.record(manager, { customerId: NO_CUSTOMER, actor, action: 'passkey.remove', metadata });
    });
  }

  /** @throws ServiceError if the answer is not one to the challenge; the library says why in many ways */
  private async verified<Result extends { verified: boolean }>(
    code: 'invalid_request' | 'login_failed',
    challenge: string | undefined,
    verify: (challenge: string) => Promise<Result>,
  ): Promise<Result> {
    if (challenge === undefined) throw new ServiceError(code, 'The login took too long; begin again');
    const result = await verify(challenge).catch((cause: unknown) => {
      throw refused(code, cause);
    });
    if (!result.verified) throw refused(code);
    return result;
  }
}

/** The library hands them on as the browser gave them: neither signed nor looked at. */
function transportsOf(given: unknown): string[] {
  const all: unknown[] = Array.isArray(given) ? given : [];
  return all.filter((one): one is string => typeof one === 'string' && TRANSPORT.test(one));
}

function refused(code: 'invalid_request' | 'login_failed', cause?: unknown): ServiceError {
  return new ServiceError(code, 'The passkey did not answer as it should; begin again', { cause });
}
