import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { KeyTakenError } from './idempotency-store.service';
import { KeyedCall, type PendingEffect, type ReplyPresenter } from './keyed-call';
import { KeyedTransactionsService } from './keyed-transactions.service';
import type { RequestKey } from './request-key';

/** The call that the code runs for, if its caller sent an Idempotency-Key. */
@Injectable()
export class KeyedCallsService {
  private readonly calls = new AsyncLocalStorage<KeyedCall>();
  /** Hashes of the keys of the calls that run in this process; they differ between customers. */
  private readonly running = new Set<string>();

  constructor(private readonly transactions: KeyedTransactionsService) {}

  /** The present call; undefined without an Idempotency-Key. */
  get current(): KeyedCall | undefined {
    return this.calls.getStore();
  }

  begin(request: RequestKey, presenter: ReplyPresenter): KeyedCall {
    return new KeyedCall(request, this.transactions, presenter);
  }

  /**
   * Runs `work`, and everything it awaits, for the call. Only one of those with the same key runs here at a time: the others
   * would wait for it with a connection each. @throws KeyTakenError
   */
  async run<T>(call: KeyedCall, work: () => Promise<T>): Promise<T> {
    const key = call.request.hash.toString('base64');
    if (this.running.has(key)) throw new KeyTakenError('A request with the Idempotency-Key is running');
    this.running.add(key);
    try {
      return await this.calls.run(call, work);
    } finally {
      this.running.delete(key);
    }
  }

  /** Stores an effect outside the database that is about to be made; with a key, claims it in the same transaction. */
  start<T>(work: () => Promise<T>, effectOf: (result: T) => PendingEffect): Promise<T> {
    return this.current?.start(work, effectOf) ?? work();
  }

  /** Stores how that effect ended; with a key, the reply is stored in the same transaction. Must be idempotent. */
  settle<T>(work: () => Promise<T>): Promise<T> {
    return this.current?.settle(work) ?? work();
  }
}
