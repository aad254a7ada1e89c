import { type FastifyInstance } from 'fastify';

/** Takes every body as the bytes it came as, whatever its content type says: the upstream's own code reads it. */
export function takeRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}
