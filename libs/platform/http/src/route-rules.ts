import { applyDecorators, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { AppConfig } from '@platform/config';
import type { KeptReply } from '@platform/idempotency';
import type { JsonHandler, SegmentedBytes } from '@platform/json';
import type { OperatorRole } from '@platform/operator-accounts';
import type { Scope } from '@platform/tokens';
import { Uncompressed } from './compression';

/** Parses a body while it arrives. */
export interface BodyReader<Result> extends JsonHandler {
  /** The result, after the whole body was parsed. @throws ServiceError invalid_request */
  result(bytes: SegmentedBytes): Result;
  /** After that, names in the body that were ignored and are near misses of known ones. A reader without it leaves them to the DTO. */
  readonly ignored?: readonly string[];
}

/** How a route's body is read. */
export interface BodyRules {
  /** Maximum size in bytes. */
  bytes: number;
  /** Maximum number of objects, arrays and values. */
  values(config: AppConfig): number;
  /** Creates the reader of one body. */
  reader(config: AppConfig): BodyReader<unknown>;
  /**
   * Refuses a request, whose caller is known, before its body is read; not one with an Idempotency-Key: its service refuses it when
   * no reply is kept under the key. @throws ServiceError
   */
  admit?(request: FastifyRequest): void;
}

/** Finds the headers of a replay that tell of the first try and were not known when its reply was stored. */
export interface ReplayHeaders {
  /** The headers to add, for the customer in context. */
  headersOf(kept: Omit<KeptReply, 'body'>): Promise<Record<string, string>>;
}

/** How the replies of a service that claims Idempotency-Keys itself are kept and replayed. */
export interface KeyRules {
  /** Names of the route's own headers that are kept with a reply, in lower case. */
  keptHeaders?: readonly string[];
  /** A provider. */
  replayHeaders?: Type<ReplayHeaders>;
  /** Names of fields of the reply that are not kept: see {@link WithholdInRetries}. */
  withheld?: readonly string[];
}

/** The treatment that a route declares for its requests, by decorators of its handler or its controller. */
export interface RouteRules {
  /** The scope that a token needs, `any` token, or `public`: open to callers without one. A route that does not declare it is closed. */
  readonly access?: Scope | 'any' | 'public';
  /** The roles that an operator's account needs one of, for the operator's API. */
  readonly roles?: readonly OperatorRole[];
  /** Whether the operator must have logged in within the last minutes. */
  readonly freshLogin?: true;
  /** Whether the token may also be sent as `X-Api-Key`. */
  readonly takesApiKey?: boolean;
  /** A limit of requests that is tighter than the customer's general one. */
  readonly rateLimit?: 'ai' | 'sms';
  /** How the body of a POST is read; `none`: it takes no body. Default: a small JSON object, parsed as a whole. */
  readonly body?: BodyRules | 'none';
  /**
   * The Idempotency-Key of a POST: `ignored`, or claimed by the route's service. Default: the request runs in one transaction
   * with its key and its reply.
   */
  readonly key?: KeyRules | 'ignored';
  /**
   * The form of the reply, as far as something else than path and body decides about it: a retry with an Idempotency-Key has the same, or
   * is refused. Undefined for the usual one.
   */
  readonly formOf?: (request: FastifyRequest) => string | undefined;
}

const DECLARED = 'http:route-rules';

/**
 * Declares rules of a handler, or of all handlers of a controller; those of the handler come first.
 * @throws if one of them is declared already in the same place
 */
export function declareRules(rules: RouteRules): MethodDecorator & ClassDecorator {
  return (target: object, _name?: string | symbol, method?: PropertyDescriptor) => {
    const declaring = (method?.value as object | undefined) ?? target;
    const declared = declaredBy(declaring) ?? {};
    for (const rule of Object.keys(rules)) if (rule in declared) throw new Error(`The rule ${rule} is declared twice`);
    Reflect.defineMetadata(DECLARED, { ...declared, ...rules }, declaring);
  };
}

function declaredBy(declaring: object): RouteRules | undefined {
  return Reflect.getOwnMetadata(DECLARED, declaring) as RouteRules | undefined;
}

const known = new WeakMap<object, RouteRules>();

/** The rules of the route, computed once: a handler belongs to one controller. */
export function rulesOf(context: Pick<ExecutionContext, 'getHandler' | 'getClass'>): RouteRules {
  const handler = context.getHandler();
  let rules = known.get(handler);
  if (!rules) {
    rules = { ...declaredBy(context.getClass()), ...declaredBy(handler) };
    known.set(handler, rules);
  }
  return rules;
}

/** The header, in lower case. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** Whether a request has an Idempotency-Key that is looked at. The second name is what others call it: such a request is refused. */
export function isKeyed({ method, headers }: FastifyRequest, execution: ExecutionContext): boolean {
  if (method !== 'POST' || (headers[IDEMPOTENCY_KEY] ?? headers['x-idempotency-key']) === undefined) return false;
  return rulesOf(execution).key !== 'ignored';
}

/** Declares that a route's body is parsed by `rules.reader` while it arrives, not as a whole. */
export const ReadBodyBy = (rules: BodyRules) => declareRules({ body: rules });

/** Declares that a POST takes no body. A body that is sent all the same is not read, like that of a GET. */
export const WithoutBody = () => declareRules({ body: 'none' });

/**
 * Declares that the route's service claims the Idempotency-Key itself, because the effect is outside the database or takes
 * long. Every other POST runs in one transaction with its key and its reply, and must not wait for anything but the
 * database.
 */
export const KeyClaimedByService = (rules: KeyRules = {}) => declareRules({ key: rules });

/** Declares what else than path and body decides about the form of a reply. */
export const ReplyForm = (formOf: NonNullable<RouteRules['formOf']>) => declareRules({ formOf });

/** Names the fields that are withheld for `describeIdempotency`, which removes the mark. */
export const WITHHELD_MARK = 'x-withheld';

/**
 * Declares secrets among the fields of a reply: they are shown once and not stored, so that a retry with the same Idempotency-Key gets
 * null, and not compressed. Only the operator's API has such; it withholds them.
 */
export const WithholdInRetries = (...fields: string[]) =>
  applyDecorators(declareRules({ key: { withheld: fields } }), ApiExtension(WITHHELD_MARK, fields), Uncompressed());

/** Marks an operation without effect for `describeIdempotency`, which removes the mark. */
export const WITHOUT_EFFECT_MARK = 'x-without-effect';

/** Declares that a POST has no effect: it can be repeated as it is, and an Idempotency-Key is ignored. */
export const WithoutEffect = () =>
  applyDecorators(declareRules({ key: 'ignored' }), ApiExtension(WITHOUT_EFFECT_MARK, true));
