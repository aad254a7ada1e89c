import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { BoundedQueue } from '@platform/database';
import { ServiceError } from '@platform/errors';
import { networkOf, onReplyClosed } from '@platform/http';
import { OPERATOR_PREFIX } from '../interface';
import { sessionCookie } from './browser';

/** How long a request waits for its place at most, in milliseconds. */
const PATIENCE_MS = 2000;
/** A list is read and counted at the same time: of each account so many requests that a fifth of the connections is left for others. */
const SHARE = 0.4;
/** Requests whose account is not known yet, such as logins, that are under way at once; and of each network. */
const OF_STRANGERS = { places: 2, placesPerCustomer: 1 };
/** More people than any operator has, several times over. */
const MOST_KNOWN = 10_000;

/** A request in a stranger's place. */
interface Stranger {
  reply: FastifyReply;
  /** Gives the stranger's place to the next one. */
  leave: () => void;
}

/**
 * Lets a limited number of requests of each account be under way at once, and very few of those whose account is not known: a flood
 * waits for itself, and gets 429, while others are served. Of all together as many as there are connections; more get 503.
 *
 * Whose session a cookie was when it came last tells who asks before the database is asked; it lets nobody in. A session that
 * comes for the first time has a stranger's place only until its account is found, and a login one only from when its body is there:
 * whoever holds one back keeps nobody else out.
 */
@Injectable()
export class RequestPlacesService {
  private readonly people: BoundedQueue;
  private readonly strangers: BoundedQueue;
  private readonly strangersServed = new WeakMap<FastifyRequest, Stranger>();
  private readonly peoplesServed = new WeakSet<FastifyRequest>();
  /** Accounts by the name of their session's cookie. */
  private readonly known = new Map<string, string>();

  constructor({ DATABASE_POOL_SIZE: places }: AppConfig) {
    const limits = { patienceMs: PATIENCE_MS, behindOwn: tooMany, refusesInTime: true } as const;
    this.people = new BoundedQueue({ ...limits, places, placesPerCustomer: Math.max(1, Math.floor(places * SHARE)) });
    this.strangers = new BoundedQueue({ ...limits, ...OF_STRANGERS });
  }

  /** Begins to give the requests of known accounts their places. Those of strangers get theirs by {@link admitStranger}. */
  addTo(server: FastifyInstance): void {
    server.addHook('onRequest', (request, reply, done) => {
      // By the route: the address may be written in several ways.
      if (!request.routeOptions.url?.startsWith(`/${OPERATOR_PREFIX}/`)) return done();
      const cookie = sessionCookie(request);
      const account = cookie === undefined ? undefined : this.known.get(nameOf(cookie));
      if (account === undefined) return done();
      this.peoplesServed.add(request);
      this.people.run(account, () => served(reply, done)).catch(done);
    });
  }

  /**
   * Gives a request a stranger's place, unless its account was known: to be called before anything is asked for it.
   * @throws ServiceError rate_limited; OverloadedError if there is no place for it in time
   */
  async admitStranger(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (this.peoplesServed.has(request) || this.strangersServed.has(request)) return;
    await new Promise<void>((resolve, reject) => {
      this.strangers.run(networkOf(request), () => this.serveStranger(request, reply, resolve)).catch(reject);
    });
  }

  /**
   * Notes whose session the cookie of a request is; undefined: nobody's. From then on the request is one of its account.
   * @throws ServiceError rate_limited; OverloadedError if there is no place for it in time
   */
  async identify(request: FastifyRequest, cookie: string, account: string | undefined): Promise<void> {
    if (account === undefined) {
      this.known.delete(nameOf(cookie));
      // Its refusal asks nothing more of the database, and may wait for the rest of a body.
      this.strangersServed.get(request)?.leave();
      return;
    }
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(nameOf(cookie), account);
    const stranger = this.strangersServed.get(request);
    if (!stranger) return;
    this.strangersServed.delete(request);
    this.peoplesServed.add(request);
    stranger.leave();
    await new Promise<void>((resolve, reject) => {
      this.people.run(account, () => served(stranger.reply, resolve)).catch(reject);
    });
  }

  private serveStranger(request: FastifyRequest, reply: FastifyReply, goOn: () => void): Promise<void> {
    return new Promise((leave) => {
      this.strangersServed.set(request, { reply, leave });
      void served(reply, goOn).then(leave);
    });
  }
}

/** Goes on with a request, unless its client has gone. @returns when its reply is complete */
function served({ raw }: FastifyReply, goOn: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (raw.destroyed) return resolve();
    onReplyClosed(raw, resolve);
    goOn();
  });
}

/** The cookie itself is a secret, which is kept nowhere. */
function nameOf(cookie: string): string {
  return createHash('sha256').update(cookie).digest('base64');
}

const tooMany = () =>
  new ServiceError(
    'rate_limited',
    'Too many of your requests are under way, or of those from your address: they wait for each other; send fewer at a time',
    { retryAfterSeconds: 1 },
  );
