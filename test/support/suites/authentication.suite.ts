import { generateToken, type Scope, SCOPES } from '@platform/tokens';
import type { ErrorCode } from '@platform/errors';
import { createCaller, caller, type TestApi } from '../api';
import { saveFakeToken } from '../factories/service-token.factory';
import { expectProblem } from '../expect-problem';

/** A route under test; `body` makes it a valid request when the route needs one. */
export interface RouteUnderTest {
  method: 'GET' | 'POST';
  path: string;
  body?: unknown;
  /** The status and code of a valid request for a customer without records, if it is not a success. */
  otherwise?: [status: number, code: ErrorCode];
}

/** Every route holds to RFC 6750 and to the scopes in the same way. `scope` is null where none is needed. */
export function describeAuthentication(api: () => TestApi, route: RouteUnderTest, scope: Scope | null): void {
  const init = {
    method: route.method,
    ...(route.body === undefined
      ? {}
      : { body: JSON.stringify(route.body), headers: { 'content-type': 'application/json' } }),
  };
  const send = (authorization?: string) =>
    fetch(`${api().baseUrl}${route.path}`, {
      ...init,
      headers: { ...init.headers, ...(authorization === undefined ? {} : { authorization }) },
    });

  describe(`authentication of ${route.method} ${route.path}`, () => {
    it('challenges a call without credentials, naming no error (RFC 6750 §3.1)', async () => {
      const reply = await send();
      await expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
    });

    it('takes no other scheme', async () => {
      await expectProblem(await send(`Basic ${Buffer.from('a:b').toString('base64')}`), 401, 'unauthorized');
      const { token } = await createCaller(api());
      for (const scheme of ['Basic ', 'Token ', 'Bearer:', ''])
        await expectProblem(await send(`${scheme}${token.token}`), 401, 'unauthorized');
    });

    it.each([
      ['an empty token', () => 'Bearer '],
      ['a text that is no token', () => 'Bearer abc'],
      ['a mistyped token', () => `Bearer ${generateToken().replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))}`],
      ['an unknown token', () => `Bearer ${generateToken()}`],
    ])('refuses %s', async (_name, authorization) => {
      const reply = await send(authorization());
      await expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    });

    it.each([
      ['a deactivated token', { active: false }],
      ['an expired token', { expiresAt: new Date(Date.now() - 1000) }],
    ])('refuses %s', async (_name, fake) => {
      const { call } = await createCaller(api(), fake);
      const reply = await call(route.path, init);
      await expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    });

    it("refuses a deactivated customer's token", async () => {
      const { customer, call } = await createCaller(api());
      await api().superuser.query('update customer set active = false where id = $1', [customer.id]);
      await expectProblem(await call(route.path, init), 401, 'unauthorized');
    });

    if (scope === null) return;

    it(`refuses a token that has every scope but ${scope}`, async () => {
      const scopes = (Object.keys(SCOPES) as Scope[]).filter((other) => other !== scope);
      const { call } = await createCaller(api(), { scopes });
      const reply = await call(route.path, init);
      await expectProblem(reply, 403, 'insufficient_scope');
      expect(reply.headers.get('www-authenticate')).toBe(`Bearer error="insufficient_scope", scope="${scope}"`);
    });

    it(`lets a token with ${scope} alone pass`, async () => {
      const { customer } = await createCaller(api());
      const { token } = await saveFakeToken(api().superuser, customer.id, { scopes: [scope] });
      const reply = await caller(api().baseUrl, token)(route.path, init);
      const { code } = (await reply.json()) as { code?: ErrorCode };
      // The exact reply to an accepted request: any other status would hide a faulty guard.
      expect([reply.status, code]).toEqual(route.otherwise ?? [route.method === 'GET' ? 200 : 201, undefined]);
    });
  });
}
