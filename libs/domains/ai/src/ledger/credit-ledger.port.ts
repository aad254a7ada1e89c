import type {
  Release,
  ReservationRequest,
  ReservationResult,
  Resolution,
  Settlement,
  SettlementResult,
} from './credit-ledger.types';

/**
 * Two-phase charging: credit is reserved before the upstream is called, then the reservation is settled or released. Each
 * is durable when its promise resolves. All money and all dates are computed by the database, under the lock of the
 * customer's account (`sql/`).
 */
export abstract class CreditLedger {
  /**
   * Reserves credit for a call, if the customer may use AI and has the credit. With a key, claims it in the same
   * transaction; without the credit the key stays free.
   * @throws DatabaseUnavailableError: the reservation may exist all the same; release it by its seed
   */
  abstract reserve(request: ReservationRequest): Promise<ReservationResult>;

  /**
   * Charges a call, never more than was reserved. Idempotent. A reservation with an unknown outcome is charged as far
   * as the free credit covers it. The reply is kept for the reservation's key in the same transaction.
   * @throws DatabaseUnavailableError: the call may be charged all the same; settle it again to find out
   */
  abstract settle(settlement: Settlement): Promise<SettlementResult>;

  /**
   * Ends a reservation without charging it, and frees its key. Idempotent.
   * @returns how the reservation ended; undefined if there is none with that id
   * @throws DatabaseUnavailableError: it may have ended all the same; release it again to find out
   */
  abstract release(release: Release): Promise<Resolution | undefined>;
}
