import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { type RouteRules, rulesOf } from '@platform/http';
import { type AuthenticatedOperator, OperatorSessionsService } from '@platform/operator-accounts';
import { browserOf, isAttended, requireOwnOrigin, sessionCookie } from './browser';
import { OLD_LOGIN } from './operator-access';
import { RequestPlacesService } from './request-places.service';

const READING = new Set(['GET', 'HEAD']);

/**
 * Authenticates every request by its session, and requires the role and the fresh login that its route declares, unless the route
 * is public. Requests that change something must come from this site, public ones too. A route that declares nothing is
 * always refused.
 */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    private readonly sessions: OperatorSessionsService,
    private readonly places: RequestPlacesService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = rulesOf(context);
    const request = context.getArgByIndex<FastifyRequest>(0);
    if (!READING.has(request.method)) requireOwnOrigin(request);
    if (rules.access === 'public') return true;
    const cookie = sessionCookie(request);
    if (cookie !== undefined) await this.places.admitStranger(request, context.getArgByIndex<FastifyReply>(1));
    const operator = await this.sessions.authenticate(cookie, browserOf(request), isAttended(request));
    if (cookie !== undefined) await this.places.identify(request, cookie, operator?.accountId);
    if (!operator) {
      if (cookie === undefined) throw new ServiceError('login_required', 'Log in to use the operator console');
      // The browser keeps the cookie: if this request has left before another login, it has that one's by now.
      throw new ServiceError('login_required', 'Your session has ended; log in again');
    }
    request.operator = operator;
    requireRules(operator, rules);
    return true;
  }
}

/** @throws ServiceError role_required, fresh_login_required */
function requireRules({ role, isFresh }: AuthenticatedOperator, { roles = [], freshLogin }: RouteRules): void {
  if (!roles.includes(role)) {
    const needed = roles.length === 0 ? 'This address is closed' : `This needs the role ${roles.join(' or ')}`;
    throw new ServiceError('role_required', `${needed}; yours is ${role}`);
  }
  if (freshLogin && !isFresh) {
    throw new ServiceError('fresh_login_required', OLD_LOGIN);
  }
}
