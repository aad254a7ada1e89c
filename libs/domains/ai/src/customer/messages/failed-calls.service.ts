import { Injectable, Logger } from '@nestjs/common';
import { UpstreamError } from '../../ports/upstream-error';
import type { ReservedCall } from './call-reservation.service';
import { CallResolutionService } from './call-resolution.service';
import { reasonOf, toServiceError } from './failure-reason';

/** Ends calls for which the provider gave no whole message: they are not charged. */
@Injectable()
export class FailedCallsService {
  private readonly logger = new Logger(FailedCallsService.name);

  constructor(private readonly resolution: CallResolutionService) {}

  /**
   * Releases the reservation of a call that failed. One that broke off when usage had been reported has an unknown
   * outcome: the provider may bill it. @returns the error to reply with
   */
  async end({ customerId, reservationId }: ReservedCall, error: unknown): Promise<unknown> {
    const { requestId, usageSoFar } = error instanceof UpstreamError ? error.fault : {};
    const broke = reasonOf(error);
    const reason = usageSoFar === undefined ? broke : `${broke}; reported before: ${usageSoFar || 'nothing'}`;
    this.logger.warn({ msg: 'AI call failed', reason, reservation_id: reservationId, upstream_request_id: requestId });
    const outcome = usageSoFar === undefined ? 'released' : 'outcome_unknown';
    await this.resolution.release({ customerId, reservationId, outcome, reason });
    return toServiceError(error);
  }
}
