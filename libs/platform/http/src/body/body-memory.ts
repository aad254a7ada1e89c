import { Injectable } from '@nestjs/common';
import { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';

/** Seconds after which some of the requests that hold memory are likely to be done. */
const RETRY_AFTER_SECONDS = 5;

/** The memory that one request's body takes, from its first byte until nobody needs it any more. */
export interface BodyLease {
  /** Takes more. @throws ServiceError rate_limited or service_unavailable when there is no more to be had. */
  take(bytes: number): void;
  /** Gives all of it back. Idempotent. */
  release(): void;
}

/**
 * Bounds the bytes of request bodies that are in memory: of one customer, so that nobody takes the others' place, and of
 * the process. Bytes count when they arrive, so a caller that only announces them takes nothing.
 */
@Injectable()
export class BodyMemory {
  private held = 0;
  private readonly heldBy = new Map<string, number>();

  constructor(private readonly config: AppConfig) {}

  /** Bytes held at present. */
  get bytes(): number {
    return this.held;
  }

  /** Opens a lease for a request of a customer. */
  lease(customerId: string): BodyLease {
    let taken = 0;
    return {
      take: (bytes) => {
        this.take(customerId, bytes);
        taken += bytes;
      },
      release: () => {
        this.give(customerId, taken);
        taken = 0;
      },
    };
  }

  private take(customerId: string, bytes: number): void {
    const { BODY_MEMORY_BYTES: most, BODY_MEMORY_BYTES_PER_CUSTOMER: mostOfOne } = this.config;
    const own = this.heldBy.get(customerId) ?? 0;
    const retry = { retryAfterSeconds: RETRY_AFTER_SECONDS };
    if (own + bytes > mostOfOne) {
      const detail = `The bodies of your requests under way may have ${mostOfOne} bytes together; send fewer at a time`;
      throw new ServiceError('rate_limited', detail, retry);
    }
    if (this.held + bytes > most)
      throw new ServiceError('service_unavailable', 'Too many large requests are under way; try again', retry);
    this.held += bytes;
    this.heldBy.set(customerId, own + bytes);
  }

  private give(customerId: string, bytes: number): void {
    this.held -= bytes;
    const own = (this.heldBy.get(customerId) ?? 0) - bytes;
    if (own > 0) this.heldBy.set(customerId, own);
    else this.heldBy.delete(customerId);
  }
}
