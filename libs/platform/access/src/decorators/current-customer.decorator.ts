import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { AuthenticatedCustomer } from '@platform/tokens';

/** Gives a handler the customer that the token named: the only way to know who calls. */
export const CurrentCustomer = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCustomer => {
  const { customer } = context.switchToHttp().getRequest<FastifyRequest>();
  if (!customer) throw new Error('The route is public: it has no customer');
  return customer;
});
