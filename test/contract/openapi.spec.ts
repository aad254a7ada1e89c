import { readFileSync } from 'node:fs';

type Content = Record<string, { example?: unknown; examples?: Record<string, unknown> }>;

interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  requestBody?: { content: Content };
  responses: Record<string, { headers: object; content?: Content }>;
}

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path.replace('/api/v1', '')}`, operation] as const,
  ),
);
const named = Object.fromEntries(operations);

/** The table of the specification's §4: scope, and the statuses it states. */
const SPECIFIED: [route: string, scope: string | null, statuses: number[]][] = [
  ['GET /customer', null, [200, 401]],
  ['GET /services', null, [200, 401]],
  ['GET /ai', 'ai:read', [200, 401, 403]],
  ['GET /ai/credit-requests', 'ai:read', [200, 400, 401, 403]],
  ['POST /ai/credit-requests', 'ai:topup', [200, 201, 400, 401, 403, 409]],
  ['GET /ai/credit-requests/{id}', 'ai:read', [200, 401, 403, 404]],
  ['POST /ai/messages', 'ai:use', [201, 400, 401, 402, 403, 502]],
  ['GET /invoices', 'invoices:read', [200, 401, 403]],
  ['GET /support/tickets', 'support:read', [200, 401, 403]],
  ['POST /support/tickets', 'support:write', [201, 400, 401, 403, 404]],
  ['POST /sms/send', 'sms:send', [201, 400, 401, 403, 502]],
  ['GET /sms/log', 'sms:read', [200, 401, 403]],
  ['GET /status', 'status:read', [200, 401, 403]],
];
const ANYWHERE = [429, 500, 503];

describe('the OpenAPI document', () => {
  it('is of version 3.1', () => expect(document.openapi).toMatch(/^3\.1\./));

  it.each(SPECIFIED)(
    'has %s with the scope and the statuses that the specification states',
    (route, scope, statuses) => {
      const { security, responses } = named[route]!;
      expect(security).toEqual([{ token: scope === null ? [] : [scope] }]);
      expect(Object.keys(responses).map(Number)).toEqual(expect.arrayContaining([...statuses, ...ANYWHERE]));
    },
  );

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

  it('names both reasons for a 403 where a scope is needed and the feature may be off', () => {
    const { content } = named['POST /sms/send']!.responses[403]!;
    expect(Object.keys(content!['application/problem+json']!.examples!)).toEqual([
      'insufficient_scope',
      'sms_disabled',
    ]);
  });
});
