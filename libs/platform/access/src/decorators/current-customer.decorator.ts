import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCustomer } from '@platform/tokens';

/** Injects the authenticated customer: the only way for a handler to get the caller's identity. */
export const CurrentCustomer = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCustomer => {
  const { customer } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!customer) throw new Error('The route is public: it has no customer');
  return customer;
});
