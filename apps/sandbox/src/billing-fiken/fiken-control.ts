import { type FastifyReply } from 'fastify';
import { UpstreamControl } from '../shared/faults/upstream-control';
import { FikenStore } from './fiken-store';

/** Controls of the Fiken sandbox. Directives are part of the token. */
export class FikenControl extends UpstreamControl {
  readonly store = new FikenStore();
  /** Fiken's rule of one concurrent request per client: further requests get 429. Off by default. */
  oneAtATime = false;
  /** Number of requests that were refused because another one was in progress. */
  refused = 0;
  /** Minimum size of PDFs in bytes. */
  largePdf = 0;
  private underway = 0;

  constructor(recordLimit: number) {
    super(['status', 'retry-after', 'endless', 'blank-page'], recordLimit);
  }

  override reset(): void {
    super.reset();
    this.store.clear();
    this.oneAtATime = false;
    this.refused = 0;
    this.largePdf = 0;
  }

  /** @internal counts a request until it is answered; returns whether another one was in progress */
  enter(reply: FastifyReply): boolean {
    const crowded = this.oneAtATime && this.underway > 0;
    if (crowded) this.refused += 1;
    this.underway += 1;
    reply.raw.once('close', () => {
      this.underway -= 1;
    });
    return crowded;
  }
}
