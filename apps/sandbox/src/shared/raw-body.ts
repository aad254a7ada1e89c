import { type FastifyInstance } from 'fastify';

/** Accepts every body as bytes, whatever its content type: the upstream's own code parses it. */
export function takeRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
