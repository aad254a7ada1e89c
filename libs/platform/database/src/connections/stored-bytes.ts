import { Buffer } from 'node:buffer';
import { ServiceError } from '@platform/errors';
import type { DecodedStatement } from '../prepared-statement';
import type { CustomerStatement, CustomerStatements } from './customer-transaction';

const COUNT: DecodedStatement<object> = {
  name: 'database.count-stored-bytes',
  text: 'select from app.count_stored_bytes(p_customer => $1, p_bytes => $2, p_most => $3)',
  columns: [],
};

/** SQLSTATE of `app.count_stored_bytes` above the bound. */
const FULL = 'SB001';

/** Customers that are remembered as having stored all that they may; beyond it the oldest is asked for again. */
const CAPACITY = 10_000;

/**
 * Bounds the bytes that each customer stores a day, over all processes: the database counts them, in the transaction of the
 * write. A customer that has used them up is remembered, so that its next write does not reach the database.
 */
export class StoredBytesBound {
  /** When the next day begins for customers that may store nothing more, on the clock of `performance.now()`. */
  private readonly full = new Map<string, number>();

  /** @param most bytes a customer may store a day */
  constructor(private readonly most: number) {}

  /** @throws ServiceError rate_limited if the customer is known to have used up its bytes */
  check(customerId: string): void {
    const until = this.full.get(customerId);
    if (until === undefined) return;
    if (until > performance.now()) throw this.refusal(until);
    this.full.delete(customerId);
  }

  /**
   * The statement that counts bytes, the last before the commit. @param isBounded false for what completes an operation that has
   * an effect already: it only counts
   */
  count(customerId: string, bytes: number, isBounded: boolean): CustomerStatement<object> {
    return { statement: COUNT, values: [customerId, bytes, isBounded ? this.most : null] };
  }

  /** The error to throw for a failed write: ServiceError rate_limited if it went beyond the bound. */
  errorOf(customerId: string, error: unknown): unknown {
    if (!isFull(error)) return error;
    const until = performance.now() + Number(error.detail) * 1000;
    if (this.full.size >= CAPACITY) this.full.delete(this.full.keys().next().value as string);
    this.full.set(customerId, until);
    return this.refusal(until);
  }

  private refusal(until: number): ServiceError {
    const seconds = Math.max(1, Math.ceil((until - performance.now()) / 1000));
    return new ServiceError(
      'rate_limited',
      `You may store ${this.most} bytes a day in tickets, SMS and kept replies, those of AI messages excepted. They are used up; the next day begins at midnight UTC`,
      { retryAfterSeconds: seconds },
    );
  }
}

/** The bytes of the values that statements store, without the customer that each of them names. */
export function bytesOf(statements: CustomerStatements<readonly unknown[]>): number {
  let bytes = 0;
  for (const { values } of statements)
    for (let place = 1; place < values.length; place++) bytes += sizeOf(values[place]);
  return bytes;
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Buffer.isBuffer(value)) return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + sizeOf(each), 0);
  return value === null || value === undefined ? 0 : 8;
}

function isFull(error: unknown): error is Error & { detail: string } {
  return Error.isError(error) && (error as { code?: unknown }).code === FULL;
}
