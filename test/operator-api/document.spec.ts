import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorErrorCatalog } from '@platform/errors';
import { OPERATOR_ROLES } from '@platform/operator-accounts';
import { compileCache } from '@test/compile-cache';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
}
interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  security?: object[];
  'x-role'?: string[];
  'x-fresh-login'?: boolean;
  parameters?: { name: string; in: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { content?: Record<string, { example?: unknown; examples?: object }> }>;
}

const FILE = join('apps', 'operator-api', 'openapi.json');
const document = JSON.parse(readFileSync(FILE, 'utf8')) as {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string }[];
  components: { schemas: Record<string, Schema> };
  paths: Record<string, Record<string, Operation>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
);
const ALL = Object.keys(OPERATOR_ROLES);

describe("the operator API's document", () => {
  it('is what the compiled code generates', () => {
    const program = join(process.cwd(), 'dist', 'apps', 'operator-api', 'src', 'openapi.js');
    const { status, stderr } = spawnSync(process.execPath, [program, '--check', FILE], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...compileCache },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('is of version 3.1, with addresses that are relative to the version', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
    expect(document.servers.map(({ url }) => url)).toEqual(['/operator/v1']);
  });

  it('gives every operation an id of its own', () => {
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  });

  it('describes every tag that is used', () => {
    const used = new Set(operations.flatMap(([, { tags = [] }]) => tags));
    expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  });

  it.each(operations)('describes %s', (_route, { summary, description, tags }) => {
    expect({ summary, description, tags }).toEqual({
      summary: expect.stringMatching(/^[A-Z].+[^.]$/),
      description: expect.stringMatching(/^[A-Z].+\.$/s),
      tags: [expect.any(String)],
    });
  });

  it('says of which replies a retry gets a part, as they have a secret', () => {
    const said = operations.flatMap(([route, { parameters = [] }]) => {
      const [, field] = /with null as `(\w+)`/.exec(parameters.map(({ description }) => description).join()) ?? [];
      return field === undefined ? [] : [[route, field]];
    });
    expect(Object.fromEntries(said)).toEqual({
      'POST /accounts': 'link',
      'POST /tokens': 'token',
      'POST /tokens/{id}/rotate': 'token',
      'POST /webhook-endpoints': 'secret',
      'POST /webhook-endpoints/{id}/rotate-secret': 'secret',
    });
  });

  it.each(operations)('says who may use %s, and what it needs', (_route, operation) => {
    const { 'x-role': roles, 'x-fresh-login': fresh, description, security, responses } = operation;
    const named = (roles ?? []).map((role) => `\`${role}\``).join(' or ');
    const who = !roles
      ? 'Needs no session.'
      : roles.length === ALL.length
        ? 'Any role is enough.'
        : `Needs the role ${named}.`;
    expect(description!.split('\n\n').at(-1)).toBe(fresh ? `${who} Needs a login of the last 5 minutes.` : who);
    expect(security).toEqual(roles ? [{ session: [] }] : undefined);
    const statuses = Object.keys(responses);
    expect(statuses).toEqual(expect.arrayContaining(['400', '429', '500', '503', ...(roles ? ['401', '403'] : [])]));
  });

  it.each(operations)('has an example of every body of %s', (_route, { requestBody, responses }) => {
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const [type, media] of Object.entries(content)) {
        const { example, examples } = media as { example?: unknown; examples?: object };
        if (type.includes('json')) expect(example ?? examples).toBeDefined();
      }
    }
  });

  it('refuses what comes from another site wherever something changes', () => {
    const changing = operations.filter(([route]) => !route.startsWith('GET '));
    const lacking = changing.filter(
      ([, { responses }]) => !JSON.stringify(responses['403'] ?? {}).includes('cross_site_request'),
    );
    expect(lacking.map(([route]) => route)).toEqual([]);
  });

  it('bounds every text and every list', () => {
    const unbounded: string[] = [];
    // Of errors the customers' document has the same.
    const own = Object.entries(document.components.schemas).filter(([name]) => !name.startsWith('Problem'));
    for (const [name, { properties = {} }] of own) {
      for (const [field, schema] of Object.entries(properties)) {
        const types = [schema.type].flat();
        if (types.includes('string') && schema.maxLength === undefined && !schema.enum)
          unbounded.push(`${name}.${field}`);
        if (types.includes('array') && schema.maxItems === undefined) unbounded.push(`${name}.${field}`);
      }
    }
    expect(unbounded).toEqual([]);
  });

  it('has lists of one form, which say how many there are', () => {
    const lists = Object.entries(document.components.schemas).filter(([name]) => name.endsWith('PageDto'));
    expect(lists.length).toBeGreaterThan(10);
    for (const [name, { properties = {} }] of lists)
      expect([name, Object.keys(properties).sort()]).toEqual([
        name,
        ['data', 'has_more', 'next_cursor', 'total', 'total_is_exact'],
      ]);
  });

  it('shows every code that only operators get', () => {
    const text = JSON.stringify(document.paths);
    for (const code of Object.keys(operatorErrorCatalog))
      expect([code, text.includes(`"code":"${code}"`)]).toEqual([code, true]);
  });

  it('shows codes of operators to no customer', () => {
    const customers = readFileSync('openapi.json', 'utf8');
    expect(Object.keys(operatorErrorCatalog).filter((code) => customers.includes(`"${code}"`))).toEqual([]);
  });
});
