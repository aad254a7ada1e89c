import type { Mutant } from '../mutant';

const ADDRESS = 'libs/platform/access/src/rate-limit/address-limit.ts';
const GUARD = 'libs/platform/access/src/rate-limit/customer-rate-limit.guard.ts';
const SPECS = ['test/e2e/rate-limit'];

/** Rate limits per address and per customer. */
export const limits: Mutant[] = [
  {
    name: "limits: a customer's own are ignored",
    file: GUARD,
    find: 'customer.limits[name] ?? standard',
    replace: 'standard',
    specs: SPECS,
  },
  {
    name: "limits: SMS is held to AI's",
    file: GUARD,
    find: "kind === 'ai' ? this.config.RATE_LIMIT_AI_PER_MINUTE : this.config.RATE_LIMIT_SMS_PER_MINUTE",
    replace: 'kind ? this.config.RATE_LIMIT_AI_PER_MINUTE : 0',
    specs: SPECS,
  },
  {
    name: 'limits: the farther one is shown',
    file: GUARD,
    find: 'tighter.remaining < general.remaining',
    replace: 'tighter.remaining >= general.remaining',
    specs: SPECS,
  },
  {
    name: 'limits: one too many passes',
    file: GUARD,
    find: 'if (totalHits <= limit) return state;',
    replace: 'if (totalHits <= limit + 1) return state;',
    specs: SPECS,
  },
  {
    name: 'limits: customers share one count',
    file: GUARD,
    find: '`${name}:${customer.customerId}`',
    replace: '`${name}`',
    specs: SPECS,
  },
  {
    name: 'limits: AI and SMS share one count',
    file: GUARD,
    find: '`${name}:${customer.customerId}`',
    replace: "`${name === 'sms' ? 'ai' : name}:${customer.customerId}`",
    specs: SPECS,
  },
  {
    name: 'limits: a refusal does not say when to come again',
    file: GUARD,
    find: '    retryAfterSeconds: resetSeconds,\n',
    replace: '',
    specs: SPECS,
  },
  {
    name: 'limits: every IPv6 address is one of its own',
    file: ADDRESS,
    find: "return groups.slice(0, 4).join(':');",
    replace: "return groups.join(':');",
    specs: SPECS,
  },
  {
    name: 'limits: a /48 is one address',
    file: ADDRESS,
    find: "...rest].slice(0, 4).join(':')",
    replace: "...rest].slice(0, 3).join(':')",
    specs: SPECS,
  },
  {
    name: 'limits: a shortened IPv6 address is not written out',
    file: ADDRESS,
    find: "...Array<string>(zeros).fill('0'), ",
    replace: '',
    specs: SPECS,
  },
  {
    name: 'limits: all IPv4 addresses written as IPv6 are one',
    file: ADDRESS,
    find: " || ip.startsWith('::ffff:')",
    replace: '',
    specs: SPECS,
  },
  {
    name: 'limits: an address is not limited',
    file: ADDRESS,
    find: 'if (totalHits <= this.limit) return;',
    replace: 'if (totalHits <= this.limit * 2) return;',
    specs: SPECS,
  },
  {
    name: 'limits: X-Forwarded-For is believed from anybody',
    file: 'libs/platform/http/src/fastify-adapter.ts',
    find: 'part.trim()) ?? false,',
    replace: 'part.trim()) ?? true,',
    specs: SPECS,
  },
  {
    name: 'limits: a window never ends',
    file: 'libs/platform/access/src/rate-limit/local-counts.ts',
    find: 'if (!window || window.endsAt <= now) {',
    replace: 'if (!window) {',
    specs: ['libs/platform/access/src/rate-limit'],
  },
];
