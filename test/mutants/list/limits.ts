import type { Mutant } from '../mutant';

const ADDRESS = 'libs/platform/access/src/rate-limit/address-limit.ts';
const GUARD = 'libs/platform/access/src/rate-limit/customer-rate-limit.guard.ts';
const LIMITS = 'libs/platform/access/src/rate-limit/customer-limits.ts';
const COUNTS = 'libs/platform/access/src/rate-limit/request-counts.ts';
const STORAGE = 'libs/platform/access/src/rate-limit/rate-limit-storage.service.ts';
const SPECS = ['test/e2e/rate-limit'];

/** Rate limits per address and per customer. */
export const limits: Mutant[] = [
  {
    name: "limits: a customer's own are ignored",
    file: LIMITS,
    find: 'customer?.limits[name] ?? standardOf(name, config)',
    replace: '(customer, standardOf(name, config))',
    specs: SPECS,
  },
  {
    name: "limits: SMS is held to AI's",
    file: LIMITS,
    find: 'config.RATE_LIMIT_SMS_PER_MINUTE',
    replace: 'config.RATE_LIMIT_AI_PER_MINUTE',
    specs: SPECS,
  },
  {
    name: 'limits: the farther one is shown',
    file: GUARD,
    find: 'remainingOf(tighter) < remainingOf(nearest)',
    replace: 'remainingOf(tighter) >= remainingOf(nearest)',
    specs: SPECS,
  },
  {
    name: 'limits: one too many passes',
    file: STORAGE,
    find: 'totalHits > limit',
    replace: 'totalHits > limit + 1',
    specs: SPECS,
  },
  {
    name: 'limits: customers share one count',
    file: GUARD,
    find: '`${name}:${customerId}`',
    replace: '`${name}`',
    specs: SPECS,
  },
  {
    name: 'limits: AI and SMS share one count',
    file: GUARD,
    find: '`${name}:${customerId}`',
    replace: "`${name === 'sms' ? 'ai' : name}:${customerId}`",
    specs: SPECS,
  },
  {
    name: 'limits: a refusal does not say when to come again',
    file: GUARD,
    find: '      retryAfterSeconds: seconds,\n',
    replace: '',
    specs: SPECS,
  },
  {
    name: 'limits: every IPv6 address is one of its own',
    file: ADDRESS,
    find: 'normalizeIp(request.ip)',
    replace: 'request.ip',
    specs: SPECS,
  },
  {
    name: 'limits: a /48 is one address',
    file: ADDRESS,
    find: 'normalizeIp(request.ip)',
    replace: 'normalizeIp(request.ip, 48)',
    specs: SPECS,
  },
  {
    name: 'limits: an address is not limited',
    file: ADDRESS,
    find: 'if (!state.isBlocked) return;',
    replace: 'if (state.totalHits <= state.limit * 2) return;',
    specs: SPECS,
  },
  {
    name: 'limits: a request counts twice',
    file: COUNTS,
    find: '++window.hits',
    replace: '(window.hits += 2)',
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
    file: COUNTS,
    find: 'window.endsAt <= now',
    replace: '(window.endsAt <= now && false)',
    specs: ['libs/platform/access/src/rate-limit'],
  },
];
