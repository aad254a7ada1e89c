import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import { networkOf } from '@platform/http';
import type { Browser, PasskeySite } from '@platform/operator-accounts';

/** Cookies of a browser. `__Host-`: only this host can set them, over a trustworthy connection. */
export const SESSION_COOKIE = '__Host-operator_session';
const ATTEMPT = '__Host-operator_login';

/** Names of this machine, which a browser trusts without TLS. */
const LOCAL = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;
const LONGEST_USER_AGENT = 500;

/** The browser that a request comes from. */
export function browserOf(request: FastifyRequest): Browser {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, LONGEST_USER_AGENT);
  return { userAgent, network: networkOf(request) };
}

/** Whether a person makes a request, and not an open page by itself that nobody has touched lately. */
export const isAttended = ({ headers }: FastifyRequest): boolean => headers['x-unattended'] === undefined;

export function sessionCookie(request: FastifyRequest): string | undefined {
  return cookie(request, SESSION_COOKIE);
}

/** The cookie of a login that has begun. */
export function attemptCookie(request: FastifyRequest): string | undefined {
  return cookie(request, ATTEMPT);
}

/** Sets the session's cookie, which no script can read and no other site can send. It ends with the browser. */
export function setSessionCookie(reply: FastifyReply, secret: string): void {
  addCookie(reply, `${SESSION_COOKIE}=${secret}; Path=/; Secure; HttpOnly; SameSite=Strict`);
}

export function dropSessionCookie(reply: FastifyReply): void {
  addCookie(reply, `${SESSION_COOKIE}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`);
}

/** Lax: an identity provider sends the browser back from its own site. */
export function setAttemptCookie(reply: FastifyReply, secret: string): void {
  addCookie(reply, `${ATTEMPT}=${secret}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=600`);
}

export function dropAttemptCookie(reply: FastifyReply): void {
  addCookie(reply, `${ATTEMPT}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`);
}

/**
 * Refuses addresses other than the operator's own: a name that somebody else has pointed at this machine would make their pages
 * pages of this site. Of this machine's own names each will do: a tunnel may have another port. @throws ServiceError forbidden
 */
export function requireOwnHost({ headers }: FastifyRequest, { OPERATOR_URL }: AppConfig): void {
  const host = headers.host ?? '';
  const own = OPERATOR_URL === undefined ? 'localhost' : new URL(OPERATOR_URL).host;
  if (host === own || (LOCAL.test(own) && LOCAL.test(host))) return;
  throw new ServiceError('forbidden', 'The operator console has another address: see OPERATOR_URL');
}

/**
 * Refuses requests of other sites' pages, and of programs that do not say where they come from. The host is one of ours
 * already. @throws ServiceError cross_site_request
 */
export function requireOwnOrigin({ headers }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers;
  const isOwn = origin !== undefined && URL.parse(origin)?.host === headers.host;
  if (isOwn && (site === undefined || site === 'same-origin')) return;
  throw new ServiceError(
    'cross_site_request',
    'A request that changes something must come from the pages of this address: send them in the header Origin',
  );
}

/** The site of a request's page, for passkeys. The origin was checked before. */
export function passkeySiteOf({ headers }: FastifyRequest): PasskeySite {
  const origin = headers.origin ?? '';
  return { rpID: new URL(origin).hostname, origin };
}

function cookie({ headers }: FastifyRequest, name: string): string | undefined {
  const found = headers.cookie?.split(';').map((part) => part.trim());
  const own = found?.filter((part) => part.startsWith(`${name}=`)) ?? [];
  // Two of one name are not from us.
  return own.length === 1 ? own[0]?.slice(name.length + 1) : undefined;
}

function addCookie(reply: FastifyReply, text: string): void {
  const present = reply.getHeader('set-cookie') as string | string[] | undefined;
  void reply.removeHeader('set-cookie').header('set-cookie', [...[present ?? []].flat(), text]);
}
