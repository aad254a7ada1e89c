import type { Mutant } from '../mutant';

const AUTHENTICATOR = 'libs/access/src/tokens/token-authenticator.ts';

/** Service tokens: the cache, rotation, expiry. */
export const tokens: Mutant[] = [
  {
    name: 'tokens: what is remembered is never asked for again',
    file: AUTHENTICATOR,
    find: 'return found && found.until > performance.now() ? found.customer : undefined;',
    replace: 'return found?.customer;',
    specs: ['test/e2e/tokens'],
  },
  {
    name: 'tokens: an expired token in the cache is let in',
    file: AUTHENTICATOR,
    find: 'if (customer.expiresAt <= Date.now()) return undefined;',
    replace: '',
    specs: ['test/e2e/tokens.spec'],
    test: 'remembered',
  },
];
