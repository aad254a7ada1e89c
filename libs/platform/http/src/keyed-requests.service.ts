import type { IncomingMessage } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { ServiceError } from '@platform/errors';
import { beginFingerprint, fingerprintOf, hashKey, KeyedCallsService, type RequestKey } from '@platform/idempotency';
import type { SegmentedBytes } from '@platform/json';
import { TurnBudget } from './body-limits';
import type { RequestWithBody } from './request-body.guard';
import { RequestPresenter } from './request-presenter';
import { IDEMPOTENCY_KEY, type KeyRules, type ReplayHeaders, rulesOf } from './route-rules';

/** Characters that a key may have. */
export const KEY_MAX = 255;

/** A limit that is tighter than the customer's general one, towards which a request with an Idempotency-Key was counted. */
export interface TighterLimit {
  /** The refusal, if it is reached; a reply that is kept under the key comes first. */
  readonly refusal: ServiceError | undefined;
  /** To be called if the reply is a kept one: no call was made. Shows the limit so. */
  giveBack(): void;
}

declare module 'fastify' {
  interface FastifyRequest {
    tighterLimit?: TighterLimit;
  }
}

/** An RFC 8941 string: in quotes, with a backslash before a quote or a backslash. */
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Bodies up to this size are copied to be hashed at once. */
const SMALL_BYTES = 16 * 1024;

/**
 * Makes a POST with an Idempotency-Key safe to retry: it has its effect once, and every retry gets the reply of the first
 * try. Called for requests that `isKeyed` accepts, as the customer, after the body was read.
 */
@Injectable()
export class KeyedRequestsService {
  constructor(
    private readonly calls: KeyedCallsService,
    private readonly modules: ModuleRef,
    private readonly turns: TurnBudget,
  ) {}

  /** Runs a request's handler, or sends the reply that is kept under its key. */
  handle(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.getArgByIndex<RequestWithBody>(0);
    const { key, formOf } = rulesOf(execution);
    if (key === 'ignored' || !request.customer) return next.handle();
    const presenter = new RequestPresenter(execution.getArgByIndex<FastifyReply>(1), key?.keptHeaders);
    const { customerId } = request.customer;
    return from(this.runOnce(request, { customerId, form: formOf?.(request) }, presenter, key, next));
  }

  private async runOnce(
    request: RequestWithBody,
    { customerId, form }: { customerId: string; form: string | undefined },
    presenter: RequestPresenter,
    rules: KeyRules | undefined,
    next: CallHandler,
  ): Promise<unknown> {
    const key = await requestKeyOf(request, customerId, { form, turns: this.turns });
    const { tighterLimit } = request;
    const work = async () => {
      if (tighterLimit?.refusal) throw tighterLimit.refusal;
      const result: unknown = await lastValueFrom(next.handle(), { defaultValue: undefined });
      // A service that claims the key itself keeps what it streams.
      return rules === undefined ? presenter.wholeOf(result) : result;
    };
    const outcome = await this.calls.once({ key, presenter, claimedByService: rules !== undefined, work });
    if ('result' in outcome) return outcome.result;
    if (outcome.isReplayed) {
      tighterLimit?.giveBack();
      const more = rules?.replayHeaders && this.modules.get<ReplayHeaders>(rules.replayHeaders, { strict: false });
      return presenter.sendKept(outcome.reply, await more?.headersOf(outcome.reply));
    }
    presenter.setHead(outcome.reply);
    return outcome.reply.body;
  }
}

/**
 * The key of a request, and the fingerprint that tells its retries from other requests: at once, unless the body is large.
 * @param customerId whose key it is: the customer, or the account of an operator @throws ServiceError invalid_request
 */
export function requestKeyOf(
  request: RequestWithBody,
  customerId: string,
  { form, turns }: { form?: string | undefined; turns: TurnBudget },
): RequestKey | Promise<RequestKey> {
  const { method, originalUrl, rawBody } = request;
  const key = readIdempotencyKey(request.raw);
  const [path = ''] = originalUrl.split('?');
  const fingerprinted = { key, method, path: form === undefined ? path : `${path} ${form}` };
  const hash = hashKey(customerId, key);
  if (rawBody.length <= SMALL_BYTES)
    return { customerId, key, hash, fingerprint: fingerprintOf(fingerprinted, rawBody.joined()) };
  const hashed = hashInTurns(beginFingerprint(fingerprinted), rawBody, turns, customerId);
  return hashed.then((fingerprint) => ({ customerId, key, hash, fingerprint }));
}

async function hashInTurns(
  fingerprint: ReturnType<typeof beginFingerprint>,
  body: SegmentedBytes,
  turns: TurnBudget,
  party: string,
): Promise<Buffer> {
  for (const piece of body.slice(0, body.length)) {
    if (turns.spent) await new Promise<void>((resolve) => turns.later(party, resolve));
    turns.run(() => fingerprint.update(piece));
  }
  return fingerprint.digest();
}

/**
 * The Idempotency-Key of a request, without its quotes if it has some.
 * @throws ServiceError invalid_request
 */
function readIdempotencyKey(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): string {
  const header = request.headers[IDEMPOTENCY_KEY];
  // Under the name that others have for it: the request would run again with each retry.
  if (header === undefined)
    throw new ServiceError(
      'invalid_request',
      'Send the header Idempotency-Key instead of X-Idempotency-Key, which has no effect',
    );
  const joined = String(header);
  // Node joins several lines with a comma; to tell them apart it reads all headers anew.
  const lines = joined.includes(',') ? (request.headersDistinct[IDEMPOTENCY_KEY] ?? []) : [joined];
  const [given = '', ...more] = lines;
  if (more.length > 0) throw invalidKey('was sent more than once');
  const key = QUOTED.exec(given)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? given;
  if (key === '') throw invalidKey('is empty');
  if (key.length > KEY_MAX) throw invalidKey(`may have ${KEY_MAX} characters at most`);
  if (!PRINTABLE.test(key)) throw invalidKey('may have printable ASCII characters only');
  return key;
}

function invalidKey(fault: string): ServiceError {
  return new ServiceError('invalid_request', `The header Idempotency-Key ${fault}`);
}
