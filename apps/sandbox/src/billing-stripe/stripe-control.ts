import { UpstreamControl } from '../shared/faults/upstream-control';
import { StripeStore } from './stripe-store';

/** Controls of the Stripe sandbox. Directives are part of the secret key. */
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
