import { type FastifyReply } from 'fastify';
import { UpstreamControl } from '../shared/faults/upstream-control';
import { FikenStore } from './fiken-store';

/** Fiken under a test's control. Its directives stand in the token, where a request has room for them. */
export class FikenControl extends UpstreamControl {
  readonly store = new FikenStore();
  /** Fiken's rule that a client has one request underway at a time: any more get 429. Off unless a test wants it. */
  oneAtATime = false;
  /** Requests that came while another was underway. */
  refused = 0;
  /** Bytes that a PDF has at least. */
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

  /** @internal counts a request until it is answered; tells whether there were others before it */
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
