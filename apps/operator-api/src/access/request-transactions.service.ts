import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';

/**
 * Runs a whole request in one transaction, with its Idempotency-Key: the transactions of the operator's services become
 * savepoints of it, and their reads see what was written before. Only for requests with a key.
 */
@Injectable()
export class RequestTransactionsService implements OnModuleInit {
  private readonly current = new AsyncLocalStorage<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  onModuleInit(): void {
    const { dataSource, current } = this;
    const { manager } = dataSource;
    const query = dataSource.query.bind(dataSource);
    Object.defineProperty(dataSource, 'manager', { get: () => current.getStore() ?? manager });
    dataSource.query = <Result>(statement: string, values?: unknown[], runner?: QueryRunner) =>
      query<Result>(statement, values, runner ?? current.getStore()?.queryRunner);
  }

  /** Runs `work`, and everything it awaits, in a transaction, which an error rolls back. */
  run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction((manager) => this.current.run(manager, () => work(manager)));
  }
}
