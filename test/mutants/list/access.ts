import type { Mutant } from '../mutant';

/** Access: scopes and refusals. */
export const access: Mutant[] = [
  {
    name: 'access: a scope is not looked at',
    file: 'libs/platform/access/src/guards/scope.guard.ts',
    find: 'if (!customer.scopes.has(scope)) {',
    replace: 'if (customer.scopes.size === 0) {',
    specs: ['test/e2e/status.spec'],
  },
  {
    name: 'access: a route that declares nothing is open',
    file: 'libs/platform/access/src/guards/scope.guard.ts',
    find: "if (scope === 'any') return true;",
    replace: "if (scope === 'any' || scope === undefined) return true;",
    specs: ['test/e2e/isolation/token-alone'],
  },
  {
    name: 'access: the scope guard stumbles over those it should let in',
    file: 'libs/platform/access/src/guards/scope.guard.ts',
    find: '    return true;\n  }\n}',
    replace: "    throw new Error('stumbled');\n  }\n}",
    specs: ['test/e2e/status.spec'],
    test: 'authentication',
  },
  {
    name: 'access: any scheme is a bearer token',
    file: 'libs/platform/access/src/guards/credentials.ts',
    find: "if (scheme.toLowerCase() !== 'bearer') {",
    replace: "if (scheme === '') {",
    specs: ['test/e2e/status.spec', 'test/e2e/errors'],
  },
  {
    name: 'access: a challenge without credentials names an error',
    file: 'libs/platform/http/src/problems/problem.ts',
    find: "if (!bearer) return code === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : {};",
    replace: `if (!bearer) return code === 'unauthorized' ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {};`,
    specs: ['test/e2e/status.spec'],
  },
  {
    name: 'access: a caller may name another customer in the query',
    file: 'libs/platform/access/src/customer-context.interceptor.ts',
    find: 'this.context.run(customer.customerId, ',
    replace:
      "this.context.run(String((execution.switchToHttp().getRequest<FastifyRequest>().query as Record<string, string>)['customer_id'] ?? customer.customerId), ",
    specs: ['test/e2e/isolation/token-alone'],
  },
  {
    name: "access: reading tickets needs another's scope",
    file: 'apps/customer-api/src/support/support.controller.ts',
    find: "@Get()\n  @RequireScope('support:read')",
    replace: "@Get()\n  @RequireScope('support:write')",
    specs: ['test/contract/routes'],
  },
  {
    name: 'access: an API without a schema starts',
    file: 'apps/customer-api/src/create-application.ts',
    find: 'await assertIsolation(app, config);',
    replace: 'void assertIsolation;',
    specs: ['test/faults/process'],
    test: 'not migrated',
  },
];
