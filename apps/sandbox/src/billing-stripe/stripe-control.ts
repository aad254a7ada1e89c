import { UpstreamControl } from '../shared/faults/upstream-control';
import { StripeStore } from './stripe-store';

/** Stripe under a test's control. Its directives stand in the secret key, where a request has room for them. */
export class StripeControl extends UpstreamControl {
  readonly store = new StripeStore();

  constructor(recordLimit: number) {
    super(['status', 'retry-after', 'endless', 'blank-page'], recordLimit);
  }

  override reset(): void {
    super.reset();
    this.store.clear();
  }
}
