import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AddressLimit } from '@platform/access';

/** Counts requests per network address before anything else looks at them, health checks too: anyone can ask for them. */
export function addAddressLimit(app: NestFastifyApplication): void {
  const limit = app.get(AddressLimit);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      const pending = limit.check(request, reply);
      if (pending) pending.then(() => done(), done);
      else done();
    });
}
