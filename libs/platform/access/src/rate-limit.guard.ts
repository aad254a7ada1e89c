import { type ExecutionContext, Injectable } from '@nestjs/common';
import { ThrottlerGuard } from '@nestjs/throttler';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { declareRules, isKeyed, networkOf, rulesOf } from '@platform/http';
import type { AuthenticatedCustomer } from '@platform/tokens';
import type { RateLimitState, RateLimitStorageService } from './rate-limit-storage.service';

/**
 * Limits the requests of one network address, valid token or not: against guessing, flooding, scanning. Counts before
 * anything else looks at a request, health checks too: anyone can ask for them. The reply shows this limit until a customer's
 * limit replaces it. @param limit requests per minute
 */
export function limitAddresses(server: FastifyInstance, storage: RateLimitStorageService, limit: number): void {
  server.addHook('onRequest', (request, reply, done) => {
    const counted = storage.count(`address:${networkOf(request)}`, limit);
    if (counted instanceof Promise) {
      counted.then((state) => enforce(state, reply, tooManyFromAddress)).then(() => done(), done);
      return;
    }
    enforce(counted, reply, tooManyFromAddress);
    done();
  });
}

/** Kinds of limits, each a throttler of the module: all of a customer's requests, and tighter ones for AI messages and SMS. */
export type LimitName = keyof AuthenticatedCustomer['limits'];

type DetailOf = (state: RateLimitState) => string;

/** The details of refusals: which limit is reached. */
const TOO_MANY: Record<LimitName, DetailOf> = {
  requests: tooMany('requests'),
  ai: tooMany('AI messages and token counts'),
  sms: tooMany('SMS'),
};

/** Adds a tighter limit of requests to a route, for AI messages or for SMS. */
export const RateLimitAs = (kind: 'ai' | 'sms') => declareRules({ rateLimit: kind });

/** A request that counts towards a tighter limit. */
interface CountedCall {
  name: 'ai' | 'sms';
  customer: AuthenticatedCustomer;
  request: FastifyRequest;
  reply: FastifyReply;
  /** Whether a reply may be kept under its Idempotency-Key. */
  keyed: boolean;
}

const keyOf = ({ customerId }: AuthenticatedCustomer, name: LimitName) => `${name}:${customerId}`;

/**
 * Limits a customer's requests, all its tokens and routes together, with tighter limits for AI messages and SMS. The
 * reply shows the limit with the fewest remaining requests; a refusal shows the limit that refused it.
 *
 * The parent's `canActivate` looks up a dozen metadata of the route for each throttler and makes as many promises. This one
 * counts with the throttlers that the route declares, at once unless counts are shared.
 */
@Injectable()
export class RateLimitGuard extends ThrottlerGuard {
  /** The storage of the module's options: the parent knows only its interface. */
  declare protected readonly storageService: RateLimitStorageService;
  /** Requests per minute by throttler, for customers to whom the operator gave no limit of their own. */
  private standard!: Record<LimitName, number>;

  override async onModuleInit(): Promise<void> {
    await super.onModuleInit();
    const limits = this.throttlers.map(({ name, limit }) => [name, limit]);
    this.standard = Object.fromEntries(limits) as Record<LimitName, number>;
  }

  /** Counts a request towards the customer's general limit, then towards the tighter limit of its route, if there is one. */
  override canActivate(context: ExecutionContext): Promise<boolean> {
    const rules = rulesOf(context);
    const request = context.getArgByIndex<FastifyRequest>(0);
    const { customer } = request;
    if (!customer && rules.access !== 'public') throw new Error('RouteAccessGuard must run first');
    // Nest accepts a boolean as well; the parent's signature has only the promise.
    if (!customer) return true as unknown as Promise<boolean>;
    const reply = context.getArgByIndex<FastifyReply>(1);
    const tighter = rules.rateLimit && {
      name: rules.rateLimit,
      customer,
      request,
      reply,
      keyed: isKeyed(request, context),
    };
    const general = this.count(customer, 'requests');
    const admitted =
      general instanceof Promise
        ? general.then((state) => this.admit(state, tighter, reply))
        : this.admit(general, tighter, reply);
    return admitted as Promise<boolean>;
  }

  /** Counts towards the tighter limit, unless the general one has refused. @throws ServiceError rate_limited */
  private admit(
    general: RateLimitState,
    call: CountedCall | undefined,
    reply: FastifyReply,
  ): boolean | Promise<boolean> {
    if (!call || general.isBlocked) return enforce(general, reply, TOO_MANY.requests);
    const tighter = this.count(call.customer, call.name);
    return tighter instanceof Promise
      ? tighter.then((state) => this.admitCall(general, state, call))
      : this.admitCall(general, tighter, call);
  }

  /**
   * A reply that is kept under an Idempotency-Key is sent beyond the tighter limit, too, and is given back to it: who retries makes no
   * other call.
   */
  private admitCall(general: RateLimitState, tighter: RateLimitState, call: CountedCall): boolean {
    const { customer, name, request, reply, keyed } = call;
    const state = nearer(general, tighter);
    if (!keyed) return enforce(state, reply, TOO_MANY[name]);
    show(state, reply);
    request.tighterLimit = {
      refusal: tighter.isBlocked ? refusalOf(tighter, TOO_MANY[name]) : undefined,
      giveBack: () => {
        this.storageService.giveBack(keyOf(customer, name), tighter);
        const remaining = Math.max(0, tighter.limit - tighter.totalHits + 1);
        show(nearer(general, { ...tighter, remaining, isBlocked: false }), reply);
      },
    };
    return true;
  }

  private count(customer: AuthenticatedCustomer, name: LimitName): RateLimitState | Promise<RateLimitState> {
    return this.storageService.count(keyOf(customer, name), customer.limits[name] ?? this.standard[name]);
  }
}

/** Of two limits the one that refuses, or that allows fewer further requests. */
function nearer(general: RateLimitState, tighter: RateLimitState): RateLimitState {
  return tighter.isBlocked || tighter.remaining < general.remaining ? tighter : general;
}

/** Shows a limit as {@link show} does. @throws ServiceError rate_limited if it is reached */
function enforce(state: RateLimitState, reply: FastifyReply, detailOf: DetailOf): true {
  show(state, reply);
  if (!state.isBlocked) return true;
  throw refusalOf(state, detailOf);
}

/** Shows a limit in the headers of the reply, in place of one that was shown before. */
function show({ limit, remaining, timeToExpire }: RateLimitState, reply: FastifyReply): void {
  reply.header('x-ratelimit-limit', limit);
  reply.header('x-ratelimit-remaining', remaining);
  reply.header('x-ratelimit-reset', timeToExpire);
}

function refusalOf(state: RateLimitState, detailOf: DetailOf): ServiceError {
  return new ServiceError('rate_limited', detailOf(state), { retryAfterSeconds: state.timeToBlockExpire });
}

function tooMany(counted: string): DetailOf {
  return ({ limit, timeToBlockExpire: seconds }) => `At most ${limit} ${counted} a minute; try again in ${seconds} s`;
}

function tooManyFromAddress({ timeToBlockExpire: seconds }: RateLimitState): string {
  return `Too many requests from your address; try again in ${seconds} s`;
}
