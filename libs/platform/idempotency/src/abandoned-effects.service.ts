import { Injectable } from '@nestjs/common';

/** Ends an effect if its process died, and frees its key; for the customer in context. @returns whether it did */
export type EndAbandoned = (effectId: string) => Promise<boolean>;

/**
 * How the domains end effects whose process died before it could end the key. A request that finds its key in progress
 * asks, so that a retry need not wait for a worker.
 */
@Injectable()
export class AbandonedEffectsService {
  private readonly domains: EndAbandoned[] = [];

  /** Adds how a domain ends its effects. It knows other domains' ids not to be its own. */
  register(end: EndAbandoned): void {
    this.domains.push(end);
  }

  /** @returns whether the effect was abandoned, and its key is free now */
  async end(effectId: string): Promise<boolean> {
    for (const end of this.domains) if (await end(effectId)) return true;
    return false;
  }
}
