import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '@app/errors';
import type { AuthenticatedCustomer } from './authenticated-customer';
import { isPublic } from './public.decorator';
import { TokenAuthenticator } from './tokens/token-authenticator';

const INVALID = { bearer: { error: 'invalid_token' } } as const;

/** Who calls? Stands before every route; a route is open only if it says so (specification §5). */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly authenticator: TokenAuthenticator) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = bearerToken(request.headers.authorization);
    const found = this.authenticator.authenticate(token);
    return found instanceof Promise ? found.then((customer) => admit(request, customer)) : admit(request, found);
  }
}

function admit(request: FastifyRequest, customer: AuthenticatedCustomer | undefined): true {
  if (!customer)
    throw new ServiceError('unauthorized', 'The token is not valid, was deactivated or has expired', INVALID);
  request.customer = customer;
  return true;
}

/** The credentials of RFC 6750 §2.1; a token in the body or query is no credential here. */
function bearerToken(header: string | undefined): string {
  const [, scheme = '', token = ''] = /^(\S*) *(.*)$/.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() !== 'bearer') {
    throw new ServiceError('unauthorized', 'Send a service token in the header Authorization: Bearer <token>');
  }
  if (token === '') throw new ServiceError('unauthorized', 'The Authorization header has no token', INVALID);
  return token;
}
