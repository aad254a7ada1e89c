import type { Mutant } from '../mutant';

const AUTHENTICATOR = 'libs/platform/tokens/src/authentication/token-authenticator.service.ts';
const TOKENS = 'libs/platform/tokens/src/operator/tokens-operator.service.ts';
const LISTENER = 'libs/platform/tokens/src/authentication/token-change-listener.service.ts';
const FORMAT = 'libs/platform/tokens/src/token-format.ts';
const REMEMBERED = ['test/e2e/remembered-tokens'];
const SUITE = ['test/e2e/tokens'];
const OPERATOR = ['test/e2e/operator-access'];

/** Service tokens: the cache, rotation, expiry, last use. */
export const tokens: Mutant[] = [
  {
    name: 'tokens: what is remembered is never asked for again',
    file: AUTHENTICATOR,
    find: 'found && found.until > performance.now()',
    replace: 'found',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: remembered for ten minutes',
    file: AUTHENTICATOR,
    find: 'REMEMBER_MS = 60_000',
    replace: 'REMEMBER_MS = 600_000',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: an answer older than a change is remembered',
    file: AUTHENTICATOR,
    find: 'if (epoch === this.epoch) ',
    replace: '',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: calls after a change share an answer from before it',
    file: AUTHENTICATOR,
    find: '    this.lookUps.clear();\n',
    replace: '',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: answers are shared although changes are not heard',
    file: AUTHENTICATOR,
    find: 'if (!this.changes.trusted) return this.ask(key);',
    replace: '',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: remembered ones are believed although changes are not heard',
    file: AUTHENTICATOR,
    find: 'this.changes.trusted ? this.remembered.get(key) : undefined',
    replace: 'this.remembered.get(key)',
    specs: [...REMEMBERED, ...SUITE],
  },
  {
    name: "tokens: a customer's change forgets nothing",
    file: AUTHENTICATOR,
    find: 'if (customer.customerId === customerId) this.remembered.delete(key);',
    replace: 'if (customer.customerId === key) this.remembered.delete(key);',
    specs: SUITE,
  },
  {
    name: "tokens: one customer's change forgets everybody",
    file: AUTHENTICATOR,
    find: 'if (customerId === undefined) this.remembered.clear();',
    replace: 'this.remembered.clear();',
    specs: REMEMBERED,
  },
  {
    name: 'tokens: each call asks the database',
    file: AUTHENTICATOR,
    find: 'if (epoch === this.epoch) this.remember(key, customer);',
    replace: 'if (epoch === this.epoch && key === "") this.remember(key, customer);',
    specs: SUITE,
  },
  {
    name: 'tokens: last use is not noted',
    file: AUTHENTICATOR,
    find: '    this.uses.record(customer);\n',
    replace: '',
    specs: SUITE,
  },
  {
    name: 'tokens: an expired one is rotated',
    file: TOKENS,
    find: '!old.active || ',
    replace: '!old.active && ',
    specs: [...REMEMBERED, ...SUITE],
  },
  {
    name: 'tokens: rotated twice',
    file: TOKENS,
    find: 'if (successor) throw',
    replace: 'if (successor && !old.active) throw',
    specs: SUITE,
  },
  {
    name: 'tokens: the grace time prolongs an expiry',
    file: TOKENS,
    find: 'expiresAt && expiresAt < ends ? expiresAt : ends',
    replace: 'ends',
    specs: SUITE,
  },
  {
    name: 'tokens: rotation is not announced',
    file: TOKENS,
    find: `      await announceTokenChange(manager, customerId);
      const metadata = { token_id: old.id`,
    replace: `      const metadata = { token_id: old.id`,
    specs: SUITE,
  },
  {
    name: 'tokens: deactivation is audited each time',
    file: TOKENS,
    find: '      if (active) {',
    replace: '      if (active || id) {',
    specs: SUITE,
  },
  {
    name: 'tokens: changes missed while the connection was away stay unseen',
    file: LISTENER,
    find: `      this.onChange();
      await this.probe(client);`,
    replace: `      await this.probe(client);`,
    specs: SUITE,
  },
  {
    name: 'tokens: a connection that was lost is trusted for a while',
    file: LISTENER,
    find: '    this.provenAt = -Infinity;\n',
    replace: '',
    specs: ['test/faults/token-deactivation'],
    test: 'lost a moment ago',
  },
  {
    name: 'tokens: a checksum is not looked at',
    file: FORMAT,
    find: 'return text.endsWith(checksum(secret));',
    replace: 'return secret !== "";',
    specs: ['libs/platform/tokens/src/token-format', ...SUITE],
  },
  {
    name: 'tokens: last use is lost when the database is away',
    file: 'libs/platform/tokens/src/authentication/token-use-recorder.service.ts',
    find: 'if (!this.uses.has(tokenId)) this.uses.set(tokenId, use);',
    replace: 'if (use.at < 0) this.uses.set(tokenId, use);',
    specs: SUITE,
  },
  {
    name: 'tokens: the log does not name the successor',
    file: TOKENS,
    find: ', new_token_id: issued.id, grace_hours',
    replace: ', grace_hours',
    specs: OPERATOR,
  },
  {
    name: 'tokens: a token for a customer that is not there is not refused',
    file: TOKENS,
    find: 'if (!customer) throw',
    replace: 'if (customer === null) throw',
    specs: OPERATOR,
  },
  {
    name: 'tokens: expiry in the past is taken',
    file: TOKENS,
    find: 'expiresAt <= (await databaseNow(manager))',
    replace: 'expiresAt < new Date(0)',
    specs: [...OPERATOR, ...SUITE],
  },
];
