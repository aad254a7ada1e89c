import { readFileSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance } from 'fastify';
import {
  documentedOperation,
  faultsOfReply,
  faultsOfRequest,
  unnamedHeaders,
} from '@test/conformance/documented-operations';
import { observeReplies } from '@test/conformance/observe-replies';
import { takeViolations } from '@test/conformance/violations';

const { paths } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { responses: Record<string, { content?: object }> }>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, { responses }]) => [method.toUpperCase(), path, Object.keys(responses)] as const,
  ),
);
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const exchange = {
  path: '/api/v1',
  query: {},
  requestHeaders: {},
  requestBody: undefined,
  replyHeaders: JSON_HEADERS,
  replyBody: '{}',
};

/** All tests of the API compare replies with openapi.json. This spec checks that the comparison finds faults. */
const API = { document: 'openapi.json', prefix: '/api/v1' };

describe('comparison with the document', () => {
  const find = async (method: string, path: string) =>
    (await documentedOperation(API, method, `/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`))!;

  it.each(operations)(
    'refuses an empty object and an unknown status as the reply to %s %s',
    async (method, path, statuses) => {
      const operation = await find(method, path);
      for (const status of statuses.map(Number)) {
        expect({ status, faults: faultsOfReply(operation, { ...exchange, status }).length }).not.toMatchObject({
          faults: 0,
        });
      }
      expect(faultsOfReply(operation, { ...exchange, status: 418 })).toEqual([expect.stringContaining('status code')]);
    },
  );

  it('refuses a header that the document does not name', async () => {
    const replyHeaders = { ...JSON_HEADERS, 'x-request-id': 'a', 'x-ai-cost': '1', 'x-accel-buffering': 'no' };
    const reply = { ...exchange, status: 200, replyHeaders };
    const unnamed = ['The header x-ai-cost is not in the document'];
    expect(unnamedHeaders(await find('GET', '/customer'), reply)).toEqual(unnamed);
    expect(unnamedHeaders(await find('POST', '/ai/v1/messages'), reply)).toEqual([]);
  });

  it('refuses a request that was accepted without what it must have', async () => {
    const operation = await find('POST', '/support/tickets');
    const request = { ...exchange, path: '/api/v1/support/tickets', status: 201, requestBody: { title: ' ' } };
    expect(faultsOfRequest(operation, request, API)).toHaveLength(2);
    const list = await find('GET', '/services');
    const query = { limit: '201' };
    expect(faultsOfRequest(list, { ...exchange, path: '/api/v1/services', status: 200, query }, API)).toHaveLength(1);
  });

  it('is made with every reply of a server', async () => {
    const server: FastifyInstance = fastify();
    observeReplies({ getHttpAdapter: () => ({ getInstance: () => server }) } as unknown as NestFastifyApplication);
    server.get('/api/v1/customer', () => ({ id: 'x' }));
    await server.inject('/api/v1/customer');
    await server.close();
    expect(takeViolations()).toContain("GET /api/v1/customer 200: Response body must have required property 'name'");
  });
});
