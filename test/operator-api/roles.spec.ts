import { randomUUID } from 'node:crypto';
import { ModulesContainer } from '@nestjs/core';
import { routesOf, rulesOf } from '@platform/http';
import { OPERATOR_ROLES, type OperatorRole } from '@platform/operator-accounts';
import { declaredRoutes } from '@test/nest-routes';
import { logIn, startOperatorApi, type TestOperator, type TestOperatorApi } from '@test/operator-api';

const EVERYBODY = 'viewer support billing admin';

/**
 * Every route and the roles that may use it; `public`: without a session; `+`: with a fresh login alone. Whoever adds a route adds
 * it here.
 */
const ROUTES: Record<string, string> = {
  'GET /login/methods': 'public',
  'POST /login/link': 'public',
  'POST /login/passkey/options': 'public',
  'POST /login/passkey/verify': 'public',
  'GET /login/oidc': 'public',
  'GET /login/oidc/callback': 'public',
  'GET /session': EVERYBODY,
  'POST /logout': EVERYBODY,
  'GET /sessions': EVERYBODY,
  'POST /sessions/:id/revoke': EVERYBODY,
  'GET /passkeys': EVERYBODY,
  'POST /passkeys/options': `${EVERYBODY} +`,
  'POST /passkeys': `${EVERYBODY} +`,
  'DELETE /passkeys/:id': `${EVERYBODY} +`,
  'GET /today': EVERYBODY,
  'GET /customers': EVERYBODY,
  'POST /customers': 'admin',
  'POST /customers/import': 'admin',
  'GET /customers/:id': EVERYBODY,
  'GET /customers/:id/overview': EVERYBODY,
  'PATCH /customers/:id': 'admin',
  'PATCH /customers/:id/limits': 'admin',
  'POST /customers/:id/activate': 'admin',
  'POST /customers/:id/deactivate': 'admin',
  'POST /customers/:id/export': 'admin +',
  'POST /customers/:id/erase': 'admin +',
  'GET /customers/:id/ai': EVERYBODY,
  'PATCH /customers/:id/ai': 'admin +',
  'POST /customers/:id/ai/credit': 'billing admin +',
  'GET /customers/:id/sms': EVERYBODY,
  'PATCH /customers/:id/sms': 'admin',
  'GET /tokens': EVERYBODY,
  'POST /tokens': 'admin +',
  'POST /tokens/find': EVERYBODY,
  'GET /tokens/:id': EVERYBODY,
  'POST /tokens/:id/rotate': 'admin +',
  'POST /tokens/:id/rename': 'admin',
  'POST /tokens/:id/deactivate': 'admin',
  'GET /services': EVERYBODY,
  'POST /services': 'admin +',
  'GET /services/types': EVERYBODY,
  'GET /services/:id': EVERYBODY,
  'PATCH /services/:id': 'admin +',
  'GET /ai/ledger': EVERYBODY,
  'GET /ai/usage': EVERYBODY,
  'GET /ai/usage/summary': EVERYBODY,
  'GET /ai/unknown': EVERYBODY,
  'GET /ai/accounting': EVERYBODY,
  'GET /ai/models': EVERYBODY,
  'GET /ai/verification': EVERYBODY,
  'GET /prices': EVERYBODY,
  'POST /prices': 'billing admin +',
  'POST /prices/withdraw': 'billing admin +',
  'GET /credit-requests': EVERYBODY,
  'GET /credit-requests/:id': EVERYBODY,
  'POST /credit-requests/:id/approve': 'billing admin +',
  'POST /credit-requests/:id/reject': 'billing admin',
  'GET /invoices': EVERYBODY,
  'POST /invoices': 'billing admin +',
  'GET /invoices/:id': EVERYBODY,
  'POST /invoices/:id/set-status': 'billing admin +',
  'GET /invoice-syncs': EVERYBODY,
  'POST /invoice-syncs': 'billing admin',
  'POST /billing-accounts': 'billing admin +',
  'POST /billing-accounts/unlink': 'billing admin +',
  'GET /tickets': EVERYBODY,
  'GET /tickets/assignees': EVERYBODY,
  'GET /tickets/:id': EVERYBODY,
  'POST /tickets/:id/reply': 'support admin',
  'POST /tickets/:id/note': 'support admin',
  'POST /tickets/:id/set-status': 'support admin',
  'POST /tickets/:id/assign': 'support admin',
  'GET /sms': 'support admin',
  'GET /sms/:id': 'support admin',
  'GET /status-events': EVERYBODY,
  'POST /status-events': 'support admin',
  'POST /status-events/:id/end': 'support admin',
  'POST /announcements': 'support admin',
  'POST /announcements/:id/end': 'support admin',
  'GET /requests': EVERYBODY,
  'GET /requests/outcome': EVERYBODY,
  'GET /audit': EVERYBODY,
  'GET /audit/actions': EVERYBODY,
  'GET /events': EVERYBODY,
  'GET /webhook-endpoints': EVERYBODY,
  'POST /webhook-endpoints': 'admin +',
  'GET /webhook-endpoints/:id': EVERYBODY,
  'PATCH /webhook-endpoints/:id': 'admin +',
  'DELETE /webhook-endpoints/:id': 'admin',
  'POST /webhook-endpoints/:id/rotate-secret': 'admin +',
  'POST /webhook-endpoints/:id/test': 'support admin',
  'POST /webhook-endpoints/:id/redeliver': 'support admin',
  'GET /webhook-deliveries': EVERYBODY,
  'POST /webhook-deliveries/:id/redeliver': 'support admin',
  'GET /accounts': 'admin',
  'POST /accounts': 'admin +',
  'GET /accounts/:id': 'admin',
  'POST /accounts/:id/set-role': 'admin +',
  'POST /accounts/:id/activate': 'admin +',
  'POST /accounts/:id/deactivate': 'admin',
  'GET /accounts/:id/sessions': 'admin',
  'POST /accounts/:id/sessions/revoke': 'admin',
  'GET /installation/checks': 'admin',
  'GET /installation/storage': EVERYBODY,
};

/** Ends the sessions of the caller: tried alone. */
const ENDS_SESSION = 'POST /logout';
/** Asks other systems, which takes seconds. */
const SLOW = 'GET /installation/checks';

describe('routes of the operator API', () => {
  let api: TestOperatorApi;
  const people = {} as Record<OperatorRole, TestOperator>;
  const roles = Object.keys(OPERATOR_ROLES) as OperatorRole[];
  beforeAll(async () => {
    api = await startOperatorApi();
    for (const role of roles) people[role] = await logIn(api, role);
  });
  afterAll(() => api.stop());

  const tryOut = (role: OperatorRole, route: string) => {
    const [method = '', path = ''] = route.split(' ');
    const id = /^\/(services|credit-requests)\//.test(path) ? '999999' : randomUUID();
    return people[role].call(path.replace(':id', id), { method });
  };
  const codeOf = async (reply: Response) => {
    const text = await reply.text();
    const isProblem = reply.headers.get('content-type')?.includes('problem');
    return isProblem ? (JSON.parse(text) as { code: string }).code : 'none';
  };

  it('are those of the table', () => {
    const declared = declaredRoutes(api.app, 'operator/v1').map(({ route }) => route.replace('/operator/v1', ''));
    const own = declared.filter((route) => !route.includes('/health/'));
    expect(own.sort()).toEqual(Object.keys(ROUTES).sort());
  });

  it('are all that the server answers to, besides documents and health', () => {
    const served = routesOf(api.app.getHttpAdapter().getInstance()).map(({ method, url }) => `${method} ${url}`);
    const known = new Set(Object.keys(ROUTES).map((route) => route.replace(' /', ' /operator/v1/')));
    const others = served.filter((route) => !known.has(route.replace(/^HEAD/, 'GET')));
    expect(others.filter((route) => !/^(GET|HEAD) \/(docs|health)(\/|$)/.test(route))).toEqual([]);
  });

  it('declare what the table says', () => {
    const handlers = [...api.app.get(ModulesContainer).values()].flatMap((module) => [...module.controllers.values()]);
    const declared = declaredRoutes(api.app, 'operator/v1').flatMap(({ route, handler }) => {
      if (route.includes('/health/')) return [];
      const [name = '', method = ''] = handler.split('.');
      const type = handlers.find(({ metatype }) => metatype?.name === name)!.metatype as {
        prototype: Record<string, never>;
      };
      const rules = rulesOf({ getHandler: () => type.prototype[method]!, getClass: () => type as never });
      const who = rules.access === 'public' ? 'public' : (rules.roles ?? []).join(' ');
      return [[route.replace('/operator/v1', ''), rules.freshLogin ? `${who} +` : who]];
    });
    expect(Object.fromEntries(declared)).toEqual(ROUTES);
  });

  it('show accounts and logins to admins alone, in the audit too', async () => {
    const invited = { email: 'invited@example.com', role: 'viewer' };
    const headers = { 'content-type': 'application/json' };
    await people.admin.call('/accounts', { method: 'POST', headers, body: JSON.stringify(invited) });
    const audited = async (role: OperatorRole, query = '') => {
      const reply = await people[role].call(`/audit?limit=200${query}`);
      return ((await reply.json()) as { data: { action: string }[] }).data.map(({ action }) => action);
    };
    for (const role of roles) {
      const isAdmin = role === 'admin';
      const actions = new Set(await audited(role));
      for (const action of ['account.create', 'account.invite', 'session.login'])
        expect([role, action, actions.has(action)]).toEqual([role, action, isAdmin]);
      expect([role, (await audited(role, '&action=account')).length > 0]).toEqual([role, isAdmin]);
    }
  });

  it.each(roles)('answer a %s, or refuse it, as the table says', async (role) => {
    const tried = Object.entries(ROUTES).filter(
      ([route, rule]) => rule !== 'public' && route !== ENDS_SESSION && (route !== SLOW || role !== 'admin'),
    );
    const outcomes: [string, boolean, boolean][] = [];
    // One after the other: many at once of one person wait for each other, and not for ever.
    for (const [route] of tried) {
      const reply = await tryOut(role, route);
      outcomes.push([route, (await codeOf(reply)) === 'role_required', reply.status < 500]);
    }
    expect(outcomes).toEqual(tried.map(([route, rule]) => [route, !rule.split(' ').includes(role), true]));
  });

  it('need a session, unless they are public', async () => {
    for (const [route, rule] of Object.entries(ROUTES)) {
      const [method = '', path = ''] = route.split(' ');
      const reply = await fetch(`${api.baseUrl}${path.replace(':id', randomUUID())}`, {
        method,
        redirect: 'manual',
        headers: { origin: api.origin },
      });
      expect([route, (await codeOf(reply)) === 'login_required']).toEqual([route, rule !== 'public']);
    }
  });

  it('need a login of the last five minutes where the table says so', async () => {
    await api.superuser.query(`update operator_session set created_at = now() - interval '6 minutes'`);
    for (const [route, rule] of Object.entries(ROUTES)) {
      if (rule === 'public' || route === ENDS_SESSION || route === SLOW) continue;
      const code = await codeOf(await tryOut('admin', route));
      expect([route, code === 'fresh_login_required']).toEqual([route, rule.endsWith('+')]);
    }
  });
});
