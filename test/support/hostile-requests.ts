import { randomUUID } from 'node:crypto';
import { generateToken } from '@platform/tokens';

/** A request of an attack. */
export interface HostileRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Sends a body of so many chunks of a byte, which goes on behind a reply that comes before its end. */
  chunks?: number;
  /** Sends so many of them in one write, and awaits the end of the connection. */
  pipelined?: number;
  /** On a connection of its own. */
  reconnect?: boolean;
  /** Closes its connection so many milliseconds after it was sent. */
  abandonMs?: number;
  /** Opens so many connections at once and keeps them until the service closes them… */
  held?: number;
  /** … each with headers of so many bytes, and no end. Without it: with a body that comes a byte a second. */
  unfinishedBytes?: number;
  /** Opens another connection in place of each that is closed. */
  again?: boolean;
}

/** A customer that attacks. */
export interface Attacker {
  token: string;
  tokenId: string;
  invoiceId: string;
}

/** The requests of an attack. */
export type Attack = (attacker: Attacker) => HostileRequest[];

/** Requests that cost the service much, of one customer or of one network address. */
export const SHARE_ATTACKS: Record<string, Attack> = {
  'the largest pages of tickets': ({ token }) => [
    { method: 'GET', path: '/api/v1/support/tickets?limit=2', headers: as(token) },
  ],
  'bodies of 190 unknown names': ({ token }) => [unknownNames(token, 190)],
  'writes of tickets': ({ token }) => [
    {
      method: 'POST',
      path: '/api/v1/support/tickets',
      headers: { ...as(token), 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'A ticket', body: 'x'.repeat(5000) }),
    },
  ],
  'ever new unknown tokens': () =>
    Array.from({ length: 20_000 }, () => ({ method: 'GET', path: '/api/v1/customer', headers: as(generateToken()) })),
  'files of the documentation': () => documentation('gzip'),
};

/** Requests that cost their sender little, and should cost the service no more. */
export const ASYMMETRIC_ATTACKS: Record<string, Attack> = {
  'files of the documentation in every encoding': () => ['br', 'zstd', 'gzip', 'identity'].flatMap(documentation),
  'addresses under /docs that do not exist': () =>
    Array.from({ length: 1000 }, (_, place) => ({ method: 'GET', path: `/docs/${place}` })),
  'bodies of 9,990 unknown names': ({ token }) => [unknownNames(token, 9990)],
  'addresses of 90 unknown names': ({ token }) => [addressOf(token, 90)],
  'addresses of 1,500 unknown names': ({ token }) => [addressOf(token, 1500)],
  'bodies of chunks of a byte': ({ token }) => [inChunks('POST', '/api/v1/support/tickets', token)],
  'bodies of chunks of a byte with unknown tokens': () =>
    Array.from({ length: 1000 }, () => inChunks('POST', '/api/v1/support/tickets', generateToken())),
  'bodies of chunks of a byte of GETs': ({ token }) => [inChunks('GET', '/api/v1/customer', token)],
  'requests by the thousand on one connection': ({ token }) => [
    { method: 'GET', path: '/api/v1/services', headers: as(token), pipelined: 2000 },
  ],
  'charges of one of many tokens': ({ token, tokenId }) => [
    { method: 'GET', path: `/api/v1/ai/usage?token_id=${tokenId}`, headers: as(token) },
  ],
};

const MESSAGES = { messages: [{ role: 'user', content: 'x'.repeat(20) }], max_tokens: 100 };

/** Requests whose cost was not counted, or that take what others need, each in another way: found by attack. */
export const HIDDEN_ATTACKS: Record<string, Attack> = {
  'health checks': () => ['/health/ready', '/health/live', '/health/none'].map((path) => ({ method: 'GET', path })),
  'connections for a request each': () => [{ method: 'GET', path: '/api/v1/customer', reconnect: true }],
  'abandoned reads': ({ token }) => [
    { method: 'GET', path: '/api/v1/support/tickets?limit=20', headers: as(token), abandonMs: 2 },
  ],
  'exports that are begun and abandoned': ({ token }) => [
    { method: 'GET', path: '/api/v1/ai/usage', headers: { ...as(token), accept: 'text/csv' }, abandonMs: 20 },
    { method: 'GET', path: '/api/v1/ai/ledger', headers: { ...as(token), accept: 'text/csv' }, abandonMs: 20 },
  ],
  'filters that match nothing': ({ token }) =>
    FRUITLESS.map((path) => ({ method: 'GET', path: `/api/v1/${path}`, headers: as(token) })),
  'counts of tokens of long messages': ({ token }) => [
    post('/api/v1/ai/v1/messages/count_tokens', token, longMessage(2 * MB), { abandonMs: 100 }),
    post('/api/v1/ai/v1/messages/count_tokens', token, longMessage(2 * MB)),
  ],
  'AI streams that are abandoned': ({ token }) => [
    post('/api/v1/ai/messages', token, { ...MESSAGES, stream: true }, { abandonMs: 15 }),
  ],
  'one key for different requests': ({ token }) =>
    Array.from({ length: 50 }, (_, place) =>
      keyed(post('/api/v1/support/tickets', token, { title: `${place}`, body: 'x'.repeat(5000) }), 'one-key'),
    ),
  'new keys for requests that fail': ({ token }) =>
    Array.from({ length: 20_000 }, () =>
      keyed(post('/api/v1/support/tickets', token, { title: 'A', body: 'b', service_id: 2 ** 31 - 1 }), randomUUID()),
    ),
  'PDFs of which only the headers are asked for': ({ token, invoiceId }) => [
    { method: 'HEAD', path: `/api/v1/invoices/${invoiceId}/pdf`, headers: as(token) },
  ],
  'pages in every encoding': ({ token }) =>
    ['br', 'zstd', 'gzip'].map((encoding) => ({
      method: 'GET',
      path: '/api/v1/ai/usage?limit=200',
      headers: { ...as(token), 'accept-encoding': encoding },
    })),
  'two thousand headers': ({ token }) => [
    {
      method: 'GET',
      path: '/api/v1/customer',
      headers: { ...as(token), ...Object.fromEntries(Array.from({ length: 1900 }, (_, place) => [`a${place}`, ''])) },
    },
  ],
  'texts of every kind of character': ({ token }) =>
    ['\u0001', '\ufeff', 'e\u0301', '\ud83d\ude00', '\u202e', '+'].flatMap((text) => [
      post('/api/v1/sms/send', token, { to: `+47${text.repeat(9000)}`, message: text.repeat(30_000) }),
      post('/api/v1/support/tickets', token, { title: text.repeat(15_000), body: text.repeat(15_000) }),
      post('/api/v1/ai/credit-requests', token, {
        amount_nok: 1,
        note: text.repeat(15_000),
        reference: text.repeat(9000),
      }),
    ]),
  'parts of files': () =>
    Array.from({ length: 1000 }, (_, place) => ({
      method: 'GET',
      path: '/docs/swagger-ui-bundle.js',
      headers: {
        range: `bytes=${Array.from({ length: 500 }, (_, part) => `${place + part}-${place + part}`).join(',')}`,
      },
    })),
  'headers that do not end': () => [{ method: 'GET', path: '/api/v1/customer', held: 120, unfinishedBytes: 12_000 }],
  'long headers that do not end': () => [
    { method: 'GET', path: '/api/v1/customer', held: 60, unfinishedBytes: 400_000 },
  ],
  'bodies a byte a second': ({ token }) => [post('/api/v1/support/tickets', token, {}, { held: 120 })],
};

/** Connections of one address, more than it may have, that are opened again when they are closed. */
export const CONNECTION_ATTACKS: Record<string, Attack> = {
  '10,000 connections without a request': () => [
    { method: 'GET', path: '/api/v1/customer', held: 10_000, unfinishedBytes: 0, again: true },
  ],
  '10,000 connections with bodies that do not end': ({ token }) => [
    post('/api/v1/support/tickets', token, {}, { held: 10_000, again: true }),
  ],
};

const MB = 1024 * 1024;

/** Addresses of lists with filters that no index has. */
const FRUITLESS = [
  ...['', '&to=2099-01-01', '&from=2020-01-01', '&created_after=2020-01-01T00:00:00Z'].map(
    (range) => `ai/usage?model=none${range}`,
  ),
  ...['token', 'model', 'day'].map((group) => `ai/usage/summary?group_by=${group}&model=none`),
  'ai/ledger?kind=refund',
  'ai/ledger?kind=refund&created_after=2020-01-01T00:00:00Z',
  'sms/log?status=failed',
  'invoices?issue_date_from=2098-01-01',
  'invoices?issue_date_to=1998-01-01&status=open',
];

function longMessage(bytes: number): object {
  return { messages: [{ role: 'user', content: 'x'.repeat(bytes) }] };
}

function post(path: string, token: string, body: object, more: Partial<HostileRequest> = {}): HostileRequest {
  const headers = { ...as(token), 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body), ...more };
}

function keyed(request: HostileRequest, key: string): HostileRequest {
  return { ...request, headers: { ...request.headers, 'idempotency-key': key } };
}

/** Some requests of all asymmetric attacks, and of all hidden ones. */
export const [ALL_ASYMMETRIC, ALL_HIDDEN] = ['all asymmetric attacks together', 'all hidden attacks together'];
export const MIXED_ATTACKS: Record<string, Attack> = {
  [ALL_ASYMMETRIC]: (attacker) => someOf(ASYMMETRIC_ATTACKS, attacker),
  [ALL_HIDDEN]: (attacker) => someOf(HIDDEN_ATTACKS, attacker).filter(({ held }) => held === undefined),
};
const SOME = 5;

function someOf(attacks: Record<string, Attack>, attacker: Attacker): HostileRequest[] {
  return Object.values(attacks).flatMap((attack) => attack(attacker).slice(0, SOME));
}

function unknownNames(token: string, count: number): HostileRequest {
  return {
    method: 'POST',
    path: '/api/v1/support/tickets',
    headers: { ...as(token), 'content-type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, place) => [`u${place}`, 1]))),
  };
}

function addressOf(token: string, count: number): HostileRequest {
  const names = Array.from({ length: count }, (_, place) => `a${place}=1`);
  return { method: 'GET', path: `/api/v1/services?${names.join('&')}`, headers: as(token) };
}

function documentation(encoding: string): HostileRequest[] {
  return ['/docs/swagger-ui-bundle.js', '/docs', '/docs/openapi.json'].map((path) => ({
    method: 'GET',
    path,
    headers: { 'accept-encoding': encoding },
  }));
}

function inChunks(method: string, path: string, token: string): HostileRequest {
  return { method, path, headers: { ...as(token), 'content-type': 'application/json' }, chunks: 20_000 };
}

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
