import type { Release, ReservationResult, Resolution, Settlement, SettlementResult } from '../credit-ledger.types';

/** `app.ai_reservation_result`. `place` is that of the call in its batch, from 1. */
export interface ReservationRow {
  place: number;
  outcome: ReservationResult['outcome'];
  id: string;
  model: string;
  key_ciphertext: Buffer | null;
  max_tokens: number;
}

/** `app.ai_settlement_result`. */
export type SettlementRow = SettlementResult & { place: number };

/** A row of `app.ai_release` and `app.ai_release_for`. */
export interface ReleaseRow {
  place: number;
  outcome: Resolution;
}

/** The results of a batch in its order. A call without a row belongs to a customer without an account. */
export function reservationResults(batch: readonly unknown[], rows: readonly ReservationRow[]): ReservationResult[] {
  const results = batch.map((): ReservationResult => ({ outcome: 'disabled' }));
  for (const row of rows) results[row.place - 1] = toReservationResult(row);
  return results;
}

export function settlementResults(batch: readonly Settlement[], rows: readonly SettlementRow[]): SettlementResult[] {
  const results: SettlementResult[] = [];
  for (const { place, ...result } of rows) results[place - 1] = result;
  return batch.map(({ reservationId }, index) => {
    const result = results[index];
    if (!result) throw new Error(`The ledger knows no reservation ${reservationId}`);
    return result;
  });
}

export function releaseResults(batch: readonly Release[], rows: readonly ReleaseRow[]): (Resolution | undefined)[] {
  const results = batch.map((): Resolution | undefined => undefined);
  for (const { place, outcome } of rows) results[place - 1] = outcome;
  return results;
}

function toReservationResult(row: ReservationRow): ReservationResult {
  const upstream = { model: row.model, keyCiphertext: row.key_ciphertext };
  switch (row.outcome) {
    case 'reserved':
      return { outcome: 'reserved', reservationId: row.id, ...upstream, maxTokens: row.max_tokens };
    case 'too_large':
      return { outcome: 'too_large', ...upstream };
    default:
      return { outcome: row.outcome };
  }
}
