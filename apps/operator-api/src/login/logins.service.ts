import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import {
  type AuthenticatedOperator,
  LoginAttemptsService,
  type LoginMethod,
  type OperatorAccount,
  OperatorAccountsService,
  type OperatorPasskey,
  OperatorPasskeysService,
  OperatorSessionsService,
} from '@platform/operator-accounts';
import {
  attemptCookie,
  browserOf,
  dropAttemptCookie,
  dropSessionCookie,
  passkeySiteOf,
  sessionCookie,
  setAttemptCookie,
  setSessionCookie,
} from '../access/browser';
import type { LoginMethodsDto } from './login.dto';
import { OidcService } from './oidc.service';

/** A request and the reply to it. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Logs people in and out: the rules of accounts and sessions, and the cookies of the browser. */
@Injectable()
export class LoginsService {
  constructor(
    private readonly accounts: OperatorAccountsService,
    private readonly attempts: LoginAttemptsService,
    private readonly oidc: OidcService,
    private readonly passkeys: OperatorPasskeysService,
    private readonly sessions: OperatorSessionsService,
    private readonly config: AppConfig,
  ) {}

  /** The ways to log in: with an identity provider its accounts are the only ones, so that whoever leaves there is out here. */
  get methods(): LoginMethodsDto {
    const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_LABEL: label } = this.config;
    return { passkey: issuer === undefined, oidc: issuer === undefined ? null : { label } };
  }

  async withLink(exchange: Exchange, token: string): Promise<AuthenticatedOperator> {
    return this.begin(exchange, await this.accounts.useLink(token), { method: 'link' });
  }

  async passkeyOptions({ request, reply }: Exchange) {
    this.requirePasskeys('login_failed');
    const options = await this.passkeys.loginOptions(passkeySiteOf(request));
    setAttemptCookie(reply, await this.attempts.begin({ challenge: options.challenge }));
    return options;
  }

  async withPasskey(exchange: Exchange, response: Record<string, unknown>): Promise<AuthenticatedOperator> {
    this.requirePasskeys('login_failed');
    const expected = await this.takeAttempt(exchange);
    const account = await this.passkeys.logIn(passkeySiteOf(exchange.request), expected?.challenge, response);
    return this.begin(exchange, account, { method: 'passkey' });
  }

  async newPasskeyOptions(operator: AuthenticatedOperator, { request, reply }: Exchange) {
    this.requirePasskeys('invalid_request');
    const options = await this.passkeys.creationOptions(operator, passkeySiteOf(request));
    setAttemptCookie(reply, await this.attempts.begin({ challenge: options.challenge }));
    return options;
  }

  async addPasskey(
    operator: AuthenticatedOperator,
    exchange: Exchange,
    { name, response }: { name: string; response: Record<string, unknown> },
  ): Promise<OperatorPasskey> {
    const expected = await this.takeAttempt(exchange);
    const made = { challenge: expected?.challenge, response, name };
    return this.passkeys.add(operator, passkeySiteOf(exchange.request), made);
  }

  /** @param form the form that waits for the login, if it is one of a person who has logged in @returns the address of the identity provider that the browser is sent to */
  async oidcAddress({ request, reply }: Exchange, form: string | undefined): Promise<string> {
    const { address, expected } = await this.oidc.begin(request, form !== undefined);
    setAttemptCookie(reply, await this.attempts.begin({ ...expected, form: form ?? '' }));
    return address;
  }

  /** Logs in the person who comes back from the identity provider. @returns the console's page to go on with */
  async pageAfterOidc(exchange: Exchange): Promise<string> {
    // A person who logs in again does so in a window of its own, beside the page with the form that needs it.
    let isAgain = false;
    try {
      const expected = await this.takeAttempt(exchange);
      isAgain = expected?.again === 'true';
      const identity = await this.oidc.identityOf(exchange.request, expected);
      const { askedAt } = identity;
      await this.begin(exchange, await this.accounts.ofIdentity(identity), { method: 'oidc', askedAt });
      // That form alone is sent then, and none that was given up, or waits elsewhere.
      return isAgain ? `/#/login/done?form=${expected?.form ?? ''}` : '/';
    } catch (error) {
      // A person sees the page, not a problem document.
      if (!(error instanceof ServiceError)) throw error;
      return `/#/login${isAgain ? '/done' : ''}?error=${encodeURIComponent(error.detail)}`;
    }
  }

  async logOut(operator: AuthenticatedOperator, { reply }: Exchange): Promise<void> {
    await this.sessions.logOut(operator);
    dropSessionCookie(reply);
    void reply.header('clear-site-data', '"cache", "storage"');
  }

  /** @throws ServiceError if people log in with an identity provider */
  private requirePasskeys(code: 'login_failed' | 'invalid_request'): void {
    if (this.methods.passkey) return;
    throw new ServiceError(code, `There are no passkeys here: log in with ${this.config.OPERATOR_OIDC_LABEL}`);
  }

  private async takeAttempt({ request, reply }: Exchange): Promise<Record<string, string> | undefined> {
    const cookie = attemptCookie(request);
    if (cookie !== undefined) dropAttemptCookie(reply);
    return this.attempts.end(cookie);
  }

  /** A new session, with a new cookie, in place of the one that the person may have had. */
  private async begin(
    { request, reply }: Exchange,
    account: OperatorAccount,
    login: { method: LoginMethod; askedAt?: Date },
  ): Promise<AuthenticatedOperator> {
    const browser = browserOf(request);
    const former = await this.sessions.authenticate(sessionCookie(request), browser);
    const secret = await this.sessions.begin(account, login, browser, former?.sessionId);
    setSessionCookie(reply, secret);
    const operator = await this.sessions.authenticate(secret, browser);
    if (!operator) throw new Error('The session that was just begun has ended');
    return operator;
  }
}
