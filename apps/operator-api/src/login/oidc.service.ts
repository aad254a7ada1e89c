import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import * as client from 'openid-client';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import {
  ASKED_WITHIN_SECONDS,
  isOperatorRole,
  OPERATOR_ROLES,
  type OperatorRole,
  SESSION_HOURS,
} from '@platform/operator-accounts';
import { OPERATOR_PREFIX } from '../interface';

/** A person whom the identity provider has authenticated. */
export interface Identity {
  /** The provider, as its ID tokens name it. */
  issuer: string;
  subject: string;
  email: string;
  name: string;
  role: OperatorRole;
  /** When it asked the person; long ago if it does not say. */
  askedAt: Date;
}

const TIMEOUT_S = 10;
/** The library's code for a description of an issuer that is not the configured one. */
const OTHER_ISSUER = 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED';
/** The strongest first. */
const BY_POWER = (Object.keys(OPERATOR_ROLES) as OperatorRole[]).reverse();

/** Logs people in with an identity provider: OpenID Connect, authorization code with PKCE. */
@Injectable()
export class OidcService {
  private discovered?: Promise<client.Configuration>;

  constructor(private readonly config: AppConfig) {}

  /**
   * The address of the provider for a login, and what its answer will be compared with.
   * @param isAgain whether it must ask the person, even if it knows who that is
   * @throws ServiceError not_found without a provider, service_unavailable
   */
  async begin(
    request: FastifyRequest,
    isAgain: boolean,
  ): Promise<{ address: string; expected: Record<string, string> }> {
    const provider = await this.provider();
    const verifier = client.randomPKCECodeVerifier();
    const expected = { verifier, state: client.randomState(), nonce: client.randomNonce(), again: String(isAgain) };
    const address = client.buildAuthorizationUrl(provider, {
      redirect_uri: this.callback(request),
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: expected.state,
      nonce: expected.nonce,
      // With a greatest age, the answer says when the person was asked.
      ...(isAgain ? { prompt: 'login', max_age: '0' } : { max_age: String(SESSION_HOURS * 3600) }),
    });
    return { address: address.href, expected };
  }

  /** The person of the provider's answer, which the browser brings. @throws ServiceError login_failed, service_unavailable */
  async identityOf(request: FastifyRequest, expected: Record<string, string> | undefined): Promise<Identity> {
    if (!expected?.verifier) throw new ServiceError('login_failed', 'The login took too long; begin again');
    const provider = await this.provider();
    const answer = new URL(this.callback(request));
    answer.search = new URL(request.url, answer).search;
    const tokens = await client
      .authorizationCodeGrant(provider, answer, {
        pkceCodeVerifier: expected.verifier,
        expectedState: expected.state ?? '',
        expectedNonce: expected.nonce ?? '',
        idTokenExpected: true,
        ...(expected.again === 'true' && { maxAge: ASKED_WITHIN_SECONDS }),
      })
      .catch((cause: unknown) => {
        throw new ServiceError('login_failed', 'The identity provider did not confirm the login; begin again', {
          cause,
        });
      });
    return this.identityIn(tokens.claims() ?? { iss: '', sub: '' });
  }

  /** @throws ServiceError login_failed without a role or an address */
  private identityIn(claims: { iss: string; sub: string } & Record<string, unknown>): Identity {
    const given = [claims[this.config.OPERATOR_OIDC_ROLE_CLAIM]].flat().filter(isOperatorRole);
    const role = BY_POWER.find((one) => given.includes(one));
    if (!role) throw new ServiceError('login_failed', 'The identity provider gives you no role here');
    const {
      iss: issuer,
      sub: subject,
      email,
      email_verified: verified,
      name,
      preferred_username: username,
      auth_time: authTime,
    } = claims;
    if (typeof email !== 'string' || verified === false)
      throw new ServiceError('login_failed', 'The identity provider has no verified e-mail address of yours');
    const shown = [username, name].find((one) => typeof one === 'string' && one !== '');
    const askedAt = new Date(typeof authTime === 'number' ? authTime * 1000 : 0);
    const shownName = typeof shown === 'string' ? shown : (email.split('@', 1)[0] ?? '');
    return { issuer, subject, email, role, askedAt, name: shownName };
  }

  private callback(request: FastifyRequest): string {
    const origin = this.config.OPERATOR_URL ?? `http://${request.headers.host ?? ''}`;
    return `${origin}/${OPERATOR_PREFIX}/login/oidc/callback`;
  }

  /** What the provider says of itself, asked once; again if that failed. */
  private async provider(): Promise<client.Configuration> {
    const { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_OIDC_CLIENT_ID: id } = this.config;
    if (issuer === undefined || id === undefined)
      throw new ServiceError('not_found', 'No identity provider is configured');
    const { OPERATOR_OIDC_CLIENT_SECRET: secret, NODE_ENV } = this.config;
    const isOpen = NODE_ENV !== 'production' && new URL(issuer).protocol === 'http:';
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- only outside of production, for a provider on this machine
    const execute = isOpen ? [client.allowInsecureRequests] : [];
    this.discovered ??= client.discovery(
      new URL(issuer),
      id,
      secret,
      secret === undefined ? client.None() : undefined,
      { timeout: TIMEOUT_S, execute },
    );
    return this.discovered.catch((cause: unknown) => {
      this.discovered = undefined;
      const isOther = cause instanceof client.ClientError && cause.code === OTHER_ISSUER;
      const why = isOther
        ? 'The identity provider has another issuer than OPERATOR_OIDC_ISSUER, to the last slash'
        : 'The identity provider does not answer; try again in a moment';
      throw new ServiceError('service_unavailable', why, { cause });
    });
  }
}
