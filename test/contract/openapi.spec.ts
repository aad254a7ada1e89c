import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache } from '@test/compile-cache';
import { CUSTOMER_EVENT_TYPES } from '@domains/events';
import { SCOPES } from '@platform/tokens';
import { problemType } from '@platform/errors';
import type { ProblemBody } from '@test/expect-problem';

type Content = Record<string, { schema?: { $ref?: string }; example?: unknown; examples?: Record<string, unknown> }>;

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; headers: object; content?: Content }>;
}

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  maxLength?: number;
  multipleOf?: number;
  default?: unknown;
  example?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  openapi: string;
  info: { description: string };
  servers: { url: string }[];
  components: { schemas: Record<string, Schema>; securitySchemes: { token: { description: string } } };
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, unknown>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);
const named = Object.fromEntries(operations);

/** Each operation with its scope and the statuses that it must state. */
const SPECIFIED: [route: string, scope: string | null, statuses: number[]][] = [
  ['GET /customer', null, [200, 401]],
  ['GET /services', null, [200, 401]],
  ['GET /ai', 'ai:read', [200, 401, 403]],
  ['GET /ai/credit-requests', 'ai:read', [200, 400, 401, 403]],
  ['POST /ai/credit-requests', 'ai:topup', [200, 201, 400, 401, 403, 409]],
  ['GET /ai/credit-requests/{id}', 'ai:read', [200, 401, 403, 404]],
  ['POST /ai/messages', 'ai:use', [201, 400, 401, 402, 403, 502]],
  ['GET /invoices', 'invoices:read', [200, 401, 403]],
  ['GET /invoices/{id}', 'invoices:read', [200, 401, 403, 404]],
  ['GET /support/tickets', 'support:read', [200, 401, 403]],
  ['POST /support/tickets', 'support:write', [201, 400, 401, 403, 404]],
  ['GET /support/tickets/{id}', 'support:read', [200, 401, 403, 404]],
  ['POST /support/tickets/{id}/replies', 'support:write', [201, 400, 401, 403, 404, 409]],
  ['POST /support/tickets/{id}/close', 'support:write', [200, 401, 403, 404]],
  ['POST /sms/send', 'sms:send', [201, 400, 401, 403, 502]],
  ['GET /sms/log', 'sms:read', [200, 401, 403]],
  ['GET /sms/log/{id}', 'sms:read', [200, 401, 403, 404]],
  ['GET /status', 'status:read', [200, 401, 403]],
];
const ANYWHERE = [429, 500, 503];

describe('the OpenAPI document', () => {
  const check = (file: string) => {
    const program = join(process.cwd(), 'dist', 'apps', 'customer-api', 'src', 'openapi.js');
    const { status, stderr } = spawnSync(process.execPath, [program, '--check', file], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...compileCache },
    });
    return { status, stderr };
  };

  it('is what the compiled code generates', () => expect(check('openapi.json')).toEqual({ status: 0, stderr: '' }));

  it('is out of date if it is another one, or is not there', () => {
    for (const file of ['apps/operator-api/openapi.json', join(tmpdir(), randomUUID())])
      expect(check(file)).toEqual({ status: 1, stderr: expect.stringContaining(`${file} is out of date`) });
  });

  it('is of version 3.1', () => expect(document.openapi).toMatch(/^3\.1\./));

  it.each(SPECIFIED)('has %s with its scope and statuses', (route, scope, statuses) => {
    const { security, responses } = named[route]!;
    expect(security).toEqual([{ token: scope === null ? [] : [scope] }]);
    expect(Object.keys(responses).map(Number)).toEqual(expect.arrayContaining([...statuses, ...ANYWHERE]));
  });

  it('describes all that is sent to endpoints, the test too, which is no event of the log', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual([...CUSTOMER_EVENT_TYPES, 'webhook.test'].sort());
    const { schemas } = document.components;
    expect(schemas.EventDto?.properties?.type?.enum).not.toContain('webhook.test');
    expect(schemas.WebhookTestDto).toMatchObject({
      required: ['id', 'type', 'created_at', 'data'],
      properties: { type: { enum: ['webhook.test'] }, data: { $ref: '#/components/schemas/WebhookTestDataDto' } },
    });
  });

  it('gives every operation an id of its own', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(operations)('describes %s', (_route, operation) => {
    expect(operation).toMatchObject({
      summary: expect.stringMatching(/^[A-Z].+[^.]$/),
      description: expect.stringMatching(/^[A-Z].+\.$/s),
      tags: [expect.any(String)],
    });
  });

  it.each(operations)('has an example of every body of %s', (_route, { requestBody, responses }) => {
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const [type, media] of Object.entries(content)) {
        if (!type.includes('json')) continue;
        expect(media.example ?? Object.values(media.examples ?? {})[0]).toBeDefined();
      }
    }
  });

  it.each(operations)('shows the limits and the request id in every reply of %s', (_route, { responses }) => {
    for (const { headers } of Object.values(responses)) {
      expect(Object.keys(headers)).toEqual(
        expect.arrayContaining(['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
      );
    }
    expect(Object.keys(responses[429]!.headers)).toContain('Retry-After');
  });

  it.each(['POST /ai/messages', 'POST /ai/v1/messages'])('says where %s may tell when to try again', (route) => {
    const told = Object.entries(named[route]!.responses).filter(([, { headers }]) => 'Retry-After' in headers);
    const statuses = ['402', '409', '429', '502', '503', ...(route.includes('v1') ? ['529'] : [])];
    expect(told.map(([status]) => status)).toEqual(statuses);
  });

  it.each(operations)(
    'names X-Should-Retry where it is sent by %s: with each error for SDKs',
    (route, { responses }) => {
      const told = Object.entries(responses).filter(([, { headers }]) => 'X-Should-Retry' in headers);
      const errors = Object.keys(responses).filter((status) => !status.startsWith('2'));
      expect(told.map(([status]) => status)).toEqual(route.includes(' /ai/v1/') ? errors : []);
    },
  );

  it('has paths that are relative to an address that ends in the version', () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/api/v1']);
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/api'))).toEqual([]);
  });

  it.each(SPECIFIED)('says in the description of %s which scope it needs', (route, scope) => {
    const needs = scope === null ? 'Any valid token is accepted.' : `Needs the scope \`${scope}\`.`;
    expect(named[route]!.description!.split('\n\n').at(-1)).toBe(needs);
  });

  it.each(Object.entries(SCOPES))('shows the scope %s in its text and in the authorise dialog', (scope, opens) => {
    const row = `| \`${scope}\` | ${opens} |`;
    expect(document.info.description).toContain(row);
    expect(document.components.securitySchemes.token.description).toContain(row);
  });

  it('describes each reply once', () => {
    const replies = operations.flatMap(([, { responses }]) => Object.values(responses));
    expect(replies.filter(({ description }) => new Set(description.split('\n\n')).size > 1)).toEqual([]);
  });

  it('shows errors with details that say more than the title', () => {
    const examples = operations.flatMap(([, { responses }]) =>
      Object.values(responses).flatMap(({ content }) =>
        Object.values(content?.['application/problem+json']?.examples ?? {}).map(
          (example) => example as { value: ProblemBody },
        ),
      ),
    );
    expect(examples.length).toBeGreaterThan(50);
    for (const { value } of examples) {
      expect(value.detail).not.toBe(value.title);
      expect(value.type).toBe(problemType(value.code));
      if (value.code === 'invalid_request' && value.detail.includes('required')) expect(value.errors).toHaveLength(1);
    }
  });

  it('bounds every text of a request', () => {
    const bodies = operations.flatMap(([, { requestBody }]) => Object.values(requestBody?.content ?? {}));
    const names = new Set(bodies.map(({ schema }) => schema?.$ref?.split('/').at(-1) ?? 'none'));
    expect(names.size).toBeGreaterThanOrEqual(10);
    for (const name of names) {
      const { properties = {} } = document.components.schemas[name]!;
      const texts = Object.entries(properties).filter(([, schema]) => [schema.type].flat().includes('string'));
      expect(texts.filter(([, schema]) => schema.maxLength === undefined && !schema.enum)).toEqual([]);
    }
  });

  it('says nothing that makes generated clients refuse what the service takes, or demand what it does not', () => {
    const schemas = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
      Object.values(properties),
    );
    expect(schemas.length).toBeGreaterThan(50);
    expect(schemas.filter(({ multipleOf, format }) => multipleOf !== undefined || format === 'int64')).toEqual([]);
    expect(schemas.filter((schema) => schema.default !== undefined)).toEqual([]);
    const pdf = named['GET /invoices/{id}/pdf']!.responses[200]!.content!['application/pdf'];
    expect(pdf).toEqual({ schema: { type: 'string', format: 'binary' } });
  });

  it('writes times with six digits, as replies do', () => {
    const times = JSON.stringify(document).match(/\d{4}-\d\d-\d\dT[\d:.]+Z/g) ?? [];
    expect(times.length).toBeGreaterThan(20);
    expect(times.filter((time) => !/\.\d{6}Z$/.test(time))).toEqual([]);
  });

  it('names both reasons for a 403 where a scope is needed and the feature may be off', () => {
    const { content } = named['POST /sms/send']!.responses[403]!;
    expect(Object.keys(content!['application/problem+json']!.examples!)).toEqual([
      'insufficient_scope',
      'sms_disabled',
    ]);
  });
});
