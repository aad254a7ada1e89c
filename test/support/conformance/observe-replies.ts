import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestWithBody } from '@platform/http';
import type * as DocumentedOperations from './documented-operations';
import { addViolation } from './violations';

/** Larger bodies are not checked: parsing them again would take longer than the test. */
const LARGEST_BODY = 256 * 1024;
/** Other forms of a reply: as further content types of the document, they would make the types of generated clients vague. */
const TOLD_IN_WORDS = /^text\/(event-stream|csv)/;

/**
 * Compares every reply of an API, and every request that it accepted, with its OpenAPI document, as a validating proxy would.
 * The running test fails if they differ.
 */
export function observeReplies(
  app: NestFastifyApplication,
  documented: DocumentedOperations.DocumentedInterface = { document: 'openapi.json', prefix: '/api/v1' },
): void {
  const { documentedOperation, faultsOfReply, faultsOfRequest, unnamedHeaders } = loadOncePerWorker(
    join(__dirname, 'documented-operations.ts'),
  ) as typeof DocumentedOperations;
  const server = app.getHttpAdapter().getInstance();
  server.addHook('onSend', async (request, reply, payload) => {
    const operation = await documentedOperation(documented, request.method, request.routeOptions.url);
    if (operation) {
      const exchange = exchangeOf(request, reply, payload);
      const type = exchange.replyHeaders['content-type'] ?? '';
      // A refusal or a long record that is streamed has no text here; its text is checked where it is not streamed.
      const unseen =
        exchange.replyBody === undefined && (exchange.status >= 400 || type.startsWith('application/json'));
      const inWords = TOLD_IN_WORDS.test(type);
      const faults = [
        ...(unseen || inWords ? [] : faultsOfReply(operation, exchange)),
        ...unnamedHeaders(operation, exchange),
        ...faultsOfRequest(operation, exchange, documented),
      ];
      for (const fault of faults) addViolation(`${request.method} ${request.url} ${reply.statusCode}: ${fault}`);
    }
    return payload;
  });
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): DocumentedOperations.Exchange {
  return {
    path: request.url.split('?', 1)[0] ?? '',
    query: request.query as Record<string, string | string[]>,
    requestHeaders: textsOf(request.headers),
    requestBody: reply.statusCode < 300 ? bodyOf(request) : undefined,
    status: reply.statusCode,
    replyHeaders: textsOf(reply.getHeaders()),
    replyBody: textOf(payload, String(reply.getHeader('content-encoding'))),
  };
}

const DECOMPRESS: Record<string, (bytes: Buffer) => Buffer> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  zstd: zstdDecompressSync,
};

/** The text of a reply, which may be compressed already; undefined for a stream. */
function textOf(payload: unknown, encoding: string): string | undefined {
  if (typeof payload === 'string') return payload;
  return Buffer.isBuffer(payload) ? String(DECOMPRESS[encoding]?.(payload) ?? payload) : undefined;
}

/** The original body: a pipe or a guard may have changed the parsed one. */
function bodyOf({ rawBody }: Partial<RequestWithBody>): unknown {
  return rawBody && rawBody.length > 0 && rawBody.length <= LARGEST_BODY
    ? JSON.parse(rawBody.joined().toString())
    : undefined;
}

function textsOf(headers: Record<string, number | string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
