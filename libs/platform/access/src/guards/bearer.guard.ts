import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCustomer } from '@platform/tokens';
import { apiKeyToken, bearerToken, refusedToken } from './credentials';
import { isPublic } from '../decorators/public.decorator';
import { takesApiKey } from '../decorators/token-in-api-key.decorator';
import { TokenAuthenticatorService } from '@platform/tokens';

/** Authenticates every request, unless its route is public. */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(private readonly authenticator: TokenAuthenticatorService) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (isPublic(context)) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = (takesApiKey(context) && apiKeyToken(request.headers)) || bearerToken(request.headers.authorization);
    const found = this.authenticator.authenticate(token);
    return found instanceof Promise
      ? found.then((customer) => admit(request, customer, token))
      : admit(request, found, token);
  }
}

function admit(request: FastifyRequest, customer: AuthenticatedCustomer | undefined, token: string): true {
  if (!customer) throw refusedToken(token);
  request.customer = customer;
  return true;
}
