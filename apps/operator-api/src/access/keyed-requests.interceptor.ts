import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import {
  isKeyed,
  type KeyRules,
  requestKeyOf,
  RequestPresenter,
  type RequestWithBody,
  rulesOf,
  TurnBudget,
} from '@platform/http';
import {
  assertSameRequest,
  keyInProgress,
  KeyTakenError,
  openKeptReply,
  ReplySealerService,
  type RequestKey,
} from '@platform/idempotency';
import { OperatorRequestKeysService } from '@platform/operator-accounts';
import { RequestTransactionsService } from './request-transactions.service';

/**
 * Makes a POST with an Idempotency-Key safe to retry: key, change, audit entry and kept reply are one transaction. Keys belong to an
 * account.
 */
@Injectable()
export class KeyedRequestsInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: OperatorRequestKeysService,
    private readonly sealer: ReplySealerService,
    private readonly transactions: RequestTransactionsService,
    private readonly turns: TurnBudget,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.getArgByIndex<RequestWithBody>(0);
    const { operator } = request;
    const { key: rules } = rulesOf(execution);
    if (!operator || rules === 'ignored' || !isKeyed(request, execution)) return next.handle();
    return from(this.runOnce(request, operator.accountId, execution.getArgByIndex<FastifyReply>(1), rules, next));
  }

  private async runOnce(
    request: RequestWithBody,
    accountId: string,
    reply: FastifyReply,
    rules: KeyRules | undefined,
    next: CallHandler,
  ): Promise<unknown> {
    const key = await requestKeyOf(request, accountId, { turns: this.turns });
    const presenter = new RequestPresenter(reply);
    try {
      return await this.transactions.run(async (manager) => {
        if (!(await this.keys.claim(manager, key.hash, key.fingerprint)))
          throw new KeyTakenError('The Idempotency-Key was used before');
        const result = await presenter.wholeOf(await lastValueFrom(next.handle(), { defaultValue: undefined }));
        const kept = presenter.ofResult(without(result, rules?.withheld ?? []));
        await this.keys.keep(manager, key.hash, await this.sealer.seal(key, kept));
        return result;
      });
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      return this.again(key, presenter);
    }
  }

  /** The reply that is kept under a key. @throws ServiceError idempotency_key_reused, idempotency_reply_not_kept */
  private async again(key: RequestKey, presenter: RequestPresenter): Promise<unknown> {
    const found = await this.keys.find(key.hash);
    // It has expired meanwhile.
    if (!found) throw keyInProgress();
    assertSameRequest(key, found.fingerprint);
    const opened = await openKeptReply(this.sealer, key, found);
    return presenter.sendKept(opened);
  }
}

/** A reply with null in place of these fields. */
function without(result: unknown, fields: readonly string[]): unknown {
  if (fields.length === 0) return result;
  return Object.assign({}, result, Object.fromEntries(fields.map((name) => [name, null])));
}
