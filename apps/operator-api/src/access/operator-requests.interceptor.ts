import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  StreamableFile,
} from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { finalize, from, lastValueFrom, type Observable } from 'rxjs';
import type { EntityManager } from 'typeorm';
import { ServiceError } from '@platform/errors';
import { declareRules, readIdempotencyKey, type RequestWithBody, rulesOf } from '@platform/http';
import { fingerprintOf, hashKey, ReplySealerService, type RequestKey } from '@platform/idempotency';
import { RequestTransactionsService } from './request-transactions.service';

/** Declares fields of a reply that a retry with the same Idempotency-Key does not get: they are shown once, and not stored. */
export const WithholdInRetries = (...fields: string[]) => declareRules({ key: { withheld: fields } });

/** Headers that belong to a reply's body. */
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** The key was claimed by another request, which has ended. */
class KeyTakenError extends Error {}

interface KeptRow {
  fingerprint: Buffer;
  secretsKey: string | null;
  reply: Buffer | null;
}

/**
 * Makes a POST with an Idempotency-Key safe to retry: key, change, audit entry and kept reply are one transaction. Keys belong to an
 * account. At the end of every request the memory of its body is released.
 */
@Injectable()
export class OperatorRequestsInterceptor implements NestInterceptor {
  constructor(
    private readonly sealer: ReplySealerService,
    private readonly transactions: RequestTransactionsService,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.getArgByIndex<RequestWithBody>(0);
    const { key } = rulesOf(execution);
    const isKeyed =
      request.method === 'POST' &&
      key !== 'ignored' &&
      request.headers['idempotency-key'] !== undefined &&
      request.operator;
    const result = isKeyed ? from(this.once(execution, next, request)) : next.handle();
    return request.bodyLease ? result.pipe(finalize(() => request.bodyLease?.release())) : result;
  }

  private async once(execution: ExecutionContext, next: CallHandler, request: RequestWithBody): Promise<unknown> {
    const key = keyOf(request);
    try {
      return await this.transactions.run((manager) => this.first(manager, key, execution, next));
    } catch (error) {
      if (!(error instanceof KeyTakenError)) throw error;
      return this.again(key, execution.getArgByIndex<FastifyReply>(1));
    }
  }

  private async first(
    manager: EntityManager,
    key: RequestKey,
    execution: ExecutionContext,
    next: CallHandler,
  ): Promise<unknown> {
    // Rows that another request is deleting are its own: waiting for it could take as long as it takes.
    await manager.query(
      `delete from operator_request_key where key_hash in (
         select key_hash from operator_request_key where created_at <= app.now() - app.idempotency_key_lifetime() for update skip locked)`,
    );
    // Waits for a request that has the key and is running.
    const claimed = await manager.query<unknown[]>(
      `insert into operator_request_key (key_hash, fingerprint, created_at) values ($1, $2, app.now())
       on conflict do nothing returning 1`,
      [key.hash, key.fingerprint],
    );
    if (claimed.length === 0) throw new KeyTakenError('The Idempotency-Key was used before');
    const result: unknown = await lastValueFrom<unknown, unknown>(next.handle(), { defaultValue: undefined });
    const { key: rules } = rulesOf(execution);
    const withheld = typeof rules === 'object' ? (rules.withheld ?? []) : [];
    const kept =
      withheld.length === 0
        ? result
        : Object.assign({}, result, Object.fromEntries(withheld.map((name) => [name, null])));
    const { statusCode: status } = execution.getArgByIndex<FastifyReply>(1);
    const body = Buffer.from(kept === undefined ? '' : JSON.stringify(kept));
    const sealed = await this.sealer.seal(key, { status, headers: kept === undefined ? {} : JSON_TYPE, body });
    await manager.query(`update operator_request_key set secrets_key = $2, reply = $3 where key_hash = $1`, [
      key.hash,
      sealed?.secretsKey ?? null,
      sealed?.body ?? null,
    ]);
    return result;
  }

  /** The reply that is kept under a key. @throws ServiceError idempotency_key_reused, idempotency_reply_not_kept */
  private async again(key: RequestKey, reply: FastifyReply): Promise<unknown> {
    const [row] = await this.transactions.read<KeptRow>(
      `select fingerprint, secrets_key as "secretsKey", reply from operator_request_key where key_hash = $1`,
      [key.hash],
    );
    if (!row) throw new ServiceError('idempotency_key_in_progress', 'Try again in a moment', { retryAfterSeconds: 1 });
    if (!row.fingerprint.equals(key.fingerprint))
      throw new ServiceError(
        'idempotency_key_reused',
        'You have used this Idempotency-Key for another request in the last 24 hours',
      );
    if (row.secretsKey === null || row.reply === null)
      throw new ServiceError(
        'idempotency_reply_not_kept',
        'The request was done once, but its reply was too large to be kept',
      );
    const { status, headers, body } = await this.sealer.open(key, { secretsKey: row.secretsKey, body: row.reply });
    void reply.status(status).headers({ ...headers, 'idempotency-replayed': 'true' });
    if (Buffer.isBuffer(body)) return body.length === 0 ? undefined : body;
    return new StreamableFile(body.content);
  }
}

/** The key of a request, and the fingerprint that tells its retries from other requests. @throws ServiceError invalid_request */
function keyOf(request: RequestWithBody): RequestKey {
  const { method, originalUrl, rawBody, operator } = request;
  const customerId = operator?.accountId ?? '';
  const key = readIdempotencyKey(request.raw);
  const [path = ''] = originalUrl.split('?');
  const fingerprint = fingerprintOf({ key, method, path }, rawBody.joined());
  return { customerId, key, hash: hashKey(customerId, key), fingerprint };
}
