import { prepared } from '@platform/database';
import { compositeArray } from '../composite-array';
import type { Release, ReservationRequest, Settlement } from '../credit-ledger.types';

export const RESERVE = prepared('ai.reserve', 'select * from app.ai_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9)');

export const SETTLE = prepared('ai.settle', 'select * from app.ai_settle($1, $2, $3, $4, $5)');

export const RELEASE = prepared('ai.release', 'select * from app.ai_release($1, $2)');

export const UNLOCKED_ACCOUNTS = prepared(
  'ai.unlocked-accounts',
  'select app.ai_unlocked_accounts($1) as "customerId"',
);

/**
 * The customers of a batch that is sorted by customer, as arguments of the ledger's functions. Positions count from 1.
 */
export interface Customers {
  /** Distinct and sorted. */
  ids: string[];
  /** Position of each customer's first item in the batch. */
  first: number[];
  /** Position of each customer's last item in the batch. */
  last: number[];
  /** For each item, the position of its customer in `ids`. */
  owner: number[];
}

export function customersOf(batch: readonly { customerId: string }[]): Customers {
  const customers: Customers = { ids: [], first: [], last: [], owner: [] };
  batch.forEach(({ customerId }, index) => {
    if (customers.ids.at(-1) !== customerId) {
      customers.ids.push(customerId);
      customers.first.push(index + 1);
      customers.last.push(index + 1);
    }
    customers.last[customers.last.length - 1] = index + 1;
    customers.owner.push(customers.ids.length);
  });
  return customers;
}

/** As `app.ai_reservation_request[]`. */
export function reservationRequests(batch: readonly ReservationRequest[]): string {
  return compositeArray(
    batch.map((call) => [
      call.seed,
      call.inputTokens,
      call.cache,
      call.maxTokens,
      call.leastTokens,
      call.mayShorten,
      call.requestId,
      call.tokenId,
      call.key?.hash ?? null,
      call.key?.fingerprint ?? null,
    ]),
  );
}

/** As `app.ai_settlement[]`. @param owner for each call, the place of its customer */
export function settlements(batch: readonly Settlement[], owner: readonly number[]): string {
  return compositeArray(
    batch.map(({ reservationId, usage, upstreamId, streamed, reply }, index) => [
      owner[index] ?? null,
      reservationId,
      usage.input,
      usage.cacheWrite5m,
      usage.cacheWrite1h,
      usage.cacheRead,
      usage.output,
      upstreamId,
      streamed ?? false,
      reply?.secretsKey ?? null,
      reply?.body ?? null,
    ]),
  );
}

/** As `app.ai_release_request[]`. @param owner for each call, the place of its customer */
export function releaseRequests(batch: readonly Release[], owner: readonly number[]): string {
  return compositeArray(
    batch.map(({ reservationId, seed, outcome, reason }, index) => [
      owner[index] ?? null,
      reservationId ?? null,
      seed ?? null,
      outcome,
      reason,
    ]),
  );
}
