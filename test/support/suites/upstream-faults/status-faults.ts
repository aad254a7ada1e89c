import { rawReply } from '../../raw-server';
import { type FaultMeaning, REPLY_MARK, type UpstreamFault } from './fault';

const REFUSALS = [400, 404, 405, 406, 410, 411, 412, 413, 414, 415, 421, 422, 426, 428, 431, 451];
const FAILURES = [500, 501, 502, 503, 504, 505, 507, 508, 511, 520, 522, 524, 529, 530, 598, 599];

const answers = (code: number, meaning: FaultMeaning, name: string, body: string): UpstreamFault => ({
  name: `it answers ${code} with ${name}`,
  meaning,
  outcome: new RegExp(`^${code}$`),
  answer: (socket) => socket.write(rawReply(code, body, { 'content-type': 'text/plain' })),
});

const JSON_BODY = `{"error":{"message":"${REPLY_MARK}"},"message":"${REPLY_MARK}"}`;
const LONG_PAGE = `<html>${REPLY_MARK}${' '.repeat(300_000)}`;

/** Every status with a text of the upstream; one of each kind also without a text, and with far too long a text. */
const statuses = (meaning: FaultMeaning, [first = 0, ...others]: number[]): UpstreamFault[] => [
  answers(first, meaning, 'nothing', ''),
  answers(first, meaning, 'a long page', LONG_PAGE),
  ...[first, ...others].map((code) => answers(code, meaning, 'JSON', JSON_BODY)),
];

const waits = (code: number, meaning: FaultMeaning, ...headers: string[]): UpstreamFault => ({
  name: `it answers ${code} with Retry-After: ${headers.join(' and ')}`,
  meaning,
  outcome: new RegExp(`^${code}$`),
  answer: (socket) => {
    const lines = headers.map((header) => `retry-after: ${header}\r\n`).join('');
    socket.write(`HTTP/1.1 ${code} X\r\n${lines}content-length: 0\r\n\r\n`);
  },
});

const redirect = (code: number, location: string): UpstreamFault => ({
  name: `it answers ${code} to ${location}`,
  meaning: 'lost',
  outcome: /^redirect$/,
  answer: (socket) => socket.write(rawReply(code, '', { location })),
});

/** Refusals, errors and redirects. */
export const statusFaults: UpstreamFault[] = [
  ...statuses('refused', REFUSALS),
  ...statuses('gave_up_for_now', [408, 409]),
  ...statuses('gave_up', [417, 418, 423, 424, 425, 499]),
  ...statuses('account_refused', [401, 402, 403]),
  ...statuses('failed', FAILURES),
  waits(429, 'turned_away', '0'),
  waits(429, 'turned_away', '60'),
  waits(429, 'turned_away', 'Wed, 01 Jan 2020 00:00:00 GMT'),
  waits(429, 'turned_away', '86400000'),
  waits(429, 'turned_away', '99999999999999999999'),
  waits(429, 'turned_away', REPLY_MARK),
  waits(429, 'turned_away', '60', '30'),
  waits(503, 'closed_for_now', '60'),
  waits(503, 'failed', '-1'),
  waits(503, 'failed', '1e3'),
  waits(503, 'failed', '86400000'),
  ...[300, 301, 302, 303, 304, 305, 307, 308].map((code) => redirect(code, '/elsewhere')),
  ...[301, 302, 303, 307, 308].map((code) => redirect(code, 'http://127.0.0.2:9/elsewhere')),
  redirect(302, 'file:///etc/passwd'),
  redirect(302, ''),
];
