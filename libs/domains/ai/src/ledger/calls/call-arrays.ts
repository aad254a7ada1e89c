import type { Release, ReservationRequest, Settlement } from '../credit-ledger.types';
import { compositeArray } from './composite-array';

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

/** As `app.ai_settlement[]`. @param owner for each call of a batch over many customers, the place of its customer */
export function settlements(batch: readonly Settlement[], owner?: readonly number[]): string {
  return compositeArray(
    batch.map(({ reservationId, usage, upstreamId, streamed, reply }, index) => [
      owner?.[index] ?? null,
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

/** As `app.ai_release_request[]`. @param owner for each call of a batch over many customers, the place of its customer */
export function releaseRequests(batch: readonly Release[], owner?: readonly number[]): string {
  return compositeArray(
    batch.map(({ reservationId, seed, outcome, reason }, index) => [
      owner?.[index] ?? null,
      reservationId ?? null,
      seed ?? null,
      outcome,
      reason,
    ]),
  );
}
