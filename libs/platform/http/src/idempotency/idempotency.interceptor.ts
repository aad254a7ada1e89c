import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
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
import { isKeyClaimedByService } from './key-claimed-by-service.decorator';
import { RequestPresenter } from './request-presenter';
import { requestKeyOf } from './request-key';

/**
 * Makes a POST with an Idempotency-Key safe to retry: it has its effect once, and every retry gets the reply of the first
 * try. Runs as the customer, after the body was read. A request without the header passes untouched.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly calls: KeyedCallsService,
    private readonly store: IdempotencyStoreService,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<RequestWithBody>();
    if (request.headers[IDEMPOTENCY_KEY] === undefined || request.method !== 'POST' || !request.customer)
      return next.handle();
    const claimsItself = isKeyClaimedByService(execution.getHandler());
    return from(this.runOnce(request, request.customer.customerId, http.getResponse(), next, claimsItself));
  }

  private async runOnce(
    request: RequestWithBody,
    customerId: string,
    reply: FastifyReply,
    next: CallHandler,
    claimsItself: boolean,
  ): Promise<unknown> {
    const key = await requestKeyOf(request, customerId);
    const presenter = new RequestPresenter(reply);
    const call = this.calls.begin(key, presenter);
    const handle = () => this.calls.run(call, () => lastValueFrom(next.handle(), { defaultValue: undefined }));
    try {
      if (!claimsItself) return presenter.send(await call.runTogether(async () => presenter.ofResult(await handle())));
      const kept = await this.store.find(key);
      return kept ? replay(presenter, kept) : await conclude(call, presenter, handle);
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      return replay(presenter, await this.store.findTaken(key));
    }
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

function replay(presenter: RequestPresenter, kept: KeptReply): Buffer {
  return presenter.send(kept, { 'idempotency-replayed': 'true' });
}
