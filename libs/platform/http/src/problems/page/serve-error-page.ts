import type { FastifyInstance } from 'fastify';
import { ERROR_PAGE } from '@platform/errors';
import { errorPage } from './error-page';

/** It has no script and nothing from elsewhere. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the catalogue of errors, to which every problem's `type` leads. */
export function serveErrorPage(server: FastifyInstance): void {
  const page = errorPage();
  server.get(ERROR_PAGE, (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page),
  );
}
