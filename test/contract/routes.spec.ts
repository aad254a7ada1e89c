import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AnyScope, Public, RequireScope } from '@platform/access';
import { routesOf } from '@platform/http';
import { startApi, type TestApi } from '@test/api';
import { declaredRoutes } from '@test/nest-routes';

/**
 * Every route of the interface and what a caller must show: a scope, `any` valid token, or nothing
 * (`public`). Whoever adds a route adds it here.
 */
const ROUTES: Record<string, string> = {
  'GET /api/v1/ai': 'ai:read',
  'POST /api/v1/ai/messages': 'ai:use',
  'GET /api/v1/ai/ledger': 'ai:read',
  'GET /api/v1/ai/usage': 'ai:read',
  'GET /api/v1/ai/usage/:id': 'ai:read',
  'GET /api/v1/ai/usage/summary': 'ai:read',
  'POST /api/v1/ai/v1/messages': 'ai:use',
  'POST /api/v1/ai/v1/messages/count_tokens': 'ai:use',
  'GET /api/v1/ai/v1/models': 'ai:read',
  'GET /api/v1/ai/v1/models/:id': 'ai:read',
  'GET /api/v1/ai/credit-requests': 'ai:read',
  'GET /api/v1/ai/credit-requests/:id': 'ai:read',
  'POST /api/v1/ai/credit-requests': 'ai:topup',
  'GET /api/v1/customer': 'any',
  'GET /api/v1/events': 'events:read',
  'GET /api/v1/invoices': 'invoices:read',
  'GET /api/v1/invoices/:id': 'invoices:read',
  'GET /api/v1/invoices/:id/pdf': 'invoices:read',
  'GET /api/v1/services': 'any',
  'GET /api/v1/status': 'status:read',
  'GET /api/v1/support/tickets': 'support:read',
  'POST /api/v1/support/tickets': 'support:write',
  'GET /api/v1/support/tickets/:id': 'support:read',
  'POST /api/v1/support/tickets/:id/replies': 'support:write',
  'POST /api/v1/support/tickets/:id/close': 'support:write',
  'GET /api/v1/sms/log': 'sms:read',
  'GET /api/v1/sms/log/:id': 'sms:read',
  'POST /api/v1/sms/send': 'sms:send',
  'GET /api/v1/webhooks/endpoints': 'webhooks:manage',
  'POST /api/v1/webhooks/endpoints': 'webhooks:manage',
  'GET /api/v1/webhooks/endpoints/:id': 'webhooks:manage',
  'PATCH /api/v1/webhooks/endpoints/:id': 'webhooks:manage',
  'DELETE /api/v1/webhooks/endpoints/:id': 'webhooks:manage',
  'POST /api/v1/webhooks/endpoints/:id/rotate-secret': 'webhooks:manage',
  'POST /api/v1/webhooks/endpoints/:id/test': 'webhooks:manage',
  'POST /api/v1/webhooks/endpoints/:id/redeliver': 'webhooks:manage',
  'GET /api/v1/webhooks/deliveries': 'webhooks:manage',
  'POST /api/v1/webhooks/deliveries/:id/redeliver': 'webhooks:manage',
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
};

/** Addresses of the documentation, which has no controller. */
const DOCUMENTS = /^GET \/docs(\/|$)/;

describe('routes', () => {
  let api: TestApi;
  beforeAll(async () => (api = await startApi()));
  afterAll(() => api.stop());

  it('are those of the table, each with the access that the table says', () => {
    const declared = declaredRoutes(api.app, 'api/v1').map(({ route, access }) => [route, access]);
    expect(declared.sort()).toEqual(Object.entries(ROUTES).sort());
  });

  it('are all that the server answers to, besides the documents', () => {
    const served = routesOf(api.app.getHttpAdapter().getInstance()).map(({ method, url }) => `${method} ${url}`);
    const unknown = served.filter((route) => !DOCUMENTS.test(route.replace(/^HEAD/, 'GET')));
    expect([...new Set(unknown)].sort()).toEqual(
      Object.keys(ROUTES)
        .flatMap((route) => (route.startsWith('GET ') ? [route, route.replace(/^GET/, 'HEAD')] : [route]))
        .sort(),
    );
  });

  it('all refuse a caller without a token, unless they are public', async () => {
    for (const [route, access] of Object.entries(ROUTES)) {
      const [method = '', path = ''] = route.split(' ');
      const reply = await fetch(`${api.origin}${path.replace(/:\w+/g, '1')}`, { method });
      expect([route, reply.status]).toEqual([route, access === 'public' ? 200 : 401]);
    }
  });

  it('that declare nothing are noticed', async () => {
    @Controller('forgotten')
    class ForgottenController {
      @Get(':id')
      read(): string {
        return 'secret';
      }
    }
    @Module({ controllers: [ForgottenController], providers: [Reflector] })
    class ForgottenModule {}
    const app = await NestFactory.create<NestFastifyApplication>(ForgottenModule, new FastifyAdapter(), {
      logger: false,
    });
    expect(declaredRoutes(app, 'api/v1')).toEqual([
      { route: 'GET /api/v1/forgotten/:id', access: 'nothing', handler: 'ForgottenController.read' },
    ]);
    await app.close();
  });

  it('that need a scope need it in a public controller too', async () => {
    @Public()
    @Controller('half-open')
    class HalfOpenController {
      @Get('notice')
      notice(): string {
        return 'for everybody';
      }

      @Get('secret')
      @RequireScope('sms:read')
      secret(): string {
        return 'secret';
      }
    }
    const own = await startApi({}, undefined, [HalfOpenController]);
    try {
      const declared = declaredRoutes(own.app, 'api/v1').filter(({ route }) => route.includes('half-open'));
      expect(declared.map(({ access }) => access)).toEqual(['public', 'sms:read']);
      const statusOf = async (path: string) => (await fetch(`${own.baseUrl}/half-open/${path}`)).status;
      expect([await statusOf('notice'), await statusOf('secret')]).toEqual([200, 401]);
    } finally {
      await own.stop();
    }
  });

  it('declare a rule once in each place', () => {
    class Contradicting {
      read(): string {
        return 'who may?';
      }
    }
    const read = Object.getOwnPropertyDescriptor(Contradicting.prototype, 'read') as PropertyDescriptor;
    Public()(Contradicting.prototype, 'read', read);
    expect(() => AnyScope()(Contradicting.prototype, 'read', read)).toThrow('declared twice');
  });
});
