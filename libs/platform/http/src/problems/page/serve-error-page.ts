import type { FastifyInstance } from 'fastify';
import { ERROR_PAGE } from '@platform/errors';
import { errorPage } from './error-page';

/** The page has no scripts and no external resources. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the error catalogue that every problem's `type` links to. */
export function serveErrorPage(server: FastifyInstance): void {
  const page = errorPage();
  server.get(ERROR_PAGE, (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page),
  );
}
