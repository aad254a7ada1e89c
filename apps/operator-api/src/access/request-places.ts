import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AppConfig } from '@platform/config';
import { BoundedQueue } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { networkOf, onReplyClosed } from '@platform/http';
import { OPERATOR_PREFIX } from '../interface';
import type { KnownSessionsService } from './known-sessions.service';

/** How long a request waits for its place at most, in milliseconds. */
const PATIENCE_MS = 2000;
/** A list is read and counted at the same time: of each account so many requests that a fifth of the connections is left for others. */
const SHARE = 0.4;
/** Requests without a known session that are under way at once, such as logins; and of each network. */
const OF_STRANGERS = { places: 2, placesPerCustomer: 1 };

/**
 * Lets a limited number of requests of each account be under way at once, and very few of those whose session is not known: a flood
 * waits for itself, and gets 429, while others are served. Of all together as many as there are connections; more get 503.
 */
export function limitRequestsUnderWay(
  server: FastifyInstance,
  { DATABASE_POOL_SIZE: connections }: AppConfig,
  known: KnownSessionsService,
): void {
  const limits = { patienceMs: PATIENCE_MS, behindOwn: tooMany };
  const ofAccount = Math.max(1, Math.floor(connections * SHARE));
  const people = new BoundedQueue({ ...limits, places: connections, placesPerCustomer: ofAccount });
  const strangers = new BoundedQueue({ ...limits, ...OF_STRANGERS });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.url.startsWith(`/${OPERATOR_PREFIX}/`)) return done();
    const account = known.accountOf(request);
    const serve = () => served(reply, done);
    const ended = account === undefined ? strangers.run(networkOf(request), serve) : people.run(account, serve);
    ended.catch(done);
  });
}

/** Goes on with a request, unless its client has gone. @returns when its reply is complete */
function served({ raw }: FastifyReply, goOn: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve();
    onReplyClosed(raw, resolve);
    goOn();
  });
}

const tooMany = () =>
  new ServiceError(
    'rate_limited',
    'Too many of your requests are under way, or of those from your address: they wait for each other; send fewer at a time',
    { retryAfterSeconds: 1 },
  );
