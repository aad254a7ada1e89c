import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { mayHaveRun } from '@platform/database';
import { ServiceError } from '@platform/errors';
import {
  type Ending,
  IdempotencyStoreService,
  type KeptReply,
  type KeyedCall,
  KeyedCallsService,
  KeyTakenError,
} from '@platform/idempotency';
import type { RequestWithBody } from '../body/request-body.guard';
import { IDEMPOTENCY_KEY } from './idempotency-key';
import { keyRulesOf, type ReplayHeaders } from './key-claimed-by-service.decorator';
import { RequestPresenter } from './request-presenter';
import { requestKeyOf } from './request-key';
import { isWithoutEffect } from './without-effect.decorator';

/**
 * Makes a POST with an Idempotency-Key safe to retry: it has its effect once, and every retry gets the reply of the first
 * try. Runs as the customer, after the body was read. A request without the header passes untouched, and so does one that
 * has no effect.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly calls: KeyedCallsService,
    private readonly store: IdempotencyStoreService,
    private readonly modules: ModuleRef,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<RequestWithBody>();
    if (request.headers[IDEMPOTENCY_KEY] === undefined || request.method !== 'POST' || !request.customer)
      return next.handle();
    if (isWithoutEffect(execution.getHandler())) return next.handle();
    return from(this.runOnce(execution, request, request.customer.customerId, next));
  }

  private async runOnce(
    execution: ExecutionContext,
    request: RequestWithBody,
    customerId: string,
    next: CallHandler,
  ): Promise<unknown> {
    const rules = keyRulesOf(execution.getHandler());
    const key = await requestKeyOf(request, customerId);
    const presenter = new RequestPresenter(execution.switchToHttp().getResponse<FastifyReply>());
    const attempt = (call: KeyedCall) => {
      const handle = () => this.calls.run(call, () => lastValueFrom(next.handle(), { defaultValue: undefined }));
      if (rules) return conclude(call, presenter, handle);
      return call.runTogether(async () => presenter.ofResult(await handle())).then((reply) => presenter.send(reply));
    };
    const first = this.calls.begin(key, presenter);
    try {
      return await attempt(first);
    } catch (error) {
      // Nearly every request is a first try, so the key is claimed rather than looked up. Whatever refused one that has not
      // claimed it, what was told before under the key comes first.
      if (first.hasClaimed || mayHaveRun(error)) throw error;
      const kept = await this.store.find(key);
      if (kept) return this.replay(presenter, kept, rules?.replayHeaders);
      if (!(error instanceof KeyTakenError)) throw error;
    }
    try {
      // Its request has died or had no effect: the look-up has freed the key, or found it free.
      return await attempt(this.calls.begin(key, presenter));
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      return this.replay(presenter, await this.store.findTaken(key), rules?.replayHeaders);
    }
  }

  private async replay(presenter: RequestPresenter, kept: KeptReply, more?: Type<ReplayHeaders>): Promise<Buffer> {
    const headers = more && (await this.modules.get(more, { strict: false }).of(kept));
    return presenter.send(kept, { ...headers, 'idempotency-replayed': 'true' });
  }
}

/** Runs a handler whose service claims the key, and ends the key with the reply. */
async function conclude(call: KeyedCall, presenter: RequestPresenter, handle: () => Promise<unknown>) {
  let ending: Ending = 'interrupted';
  try {
    const result = await handle();
    if (!call.isSettling) return result;
    ending = presenter.ofResult(result);
    return presenter.send(ending);
  } catch (error) {
    if (error instanceof ServiceError)
      ending = error.options.effect === 'unknown' ? presenter.ofError(error) : 'no-effect';
    throw error;
  } finally {
    await call.conclude(ending);
  }
}
