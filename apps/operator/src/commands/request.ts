import type { CallOfRequest } from '@domains/ai';
import type { AppConfig } from '@platform/config';
import { ServiceError } from '@platform/errors';
import type { RefusedRequest } from '@platform/refusals';
import { optional, required } from '../options/option';
import * as read from '../options/read';
import { after, anyCustomer, limit } from '../options/shared-options';
import { commandsWith, type Noun } from './command';

const command = commandsWith(() => import('../services/requests.services.js'));

/** Requests of one id that are shown. */
const MOST = 20;
const USUAL_DAYS = 14;

const show = command({
  name: 'show',
  description: 'say what became of a request: who sent it, why it was refused, what its AI message cost',
  options: {
    id: required('--id <request id>', 'the X-Request-Id of its reply, which errors have as request_id'),
    customer: anyCustomer,
    days: optional('--days <n>', `sent within the last days; default ${USUAL_DAYS}`, read.wholeNumber),
  },
  examples: [
    '--id 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
    '--id 3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11 --customer 100001 --days 60',
  ],
  reads: true,
  columns: ['created_at', 'customer_number', 'customer', 'outcome', 'code', 'charged', 'detail'],
  moreColumns: [
    ...['status', 'method', 'route', 'upstream', 'model', 'uncovered', 'provider_request_id', 'network'],
    ...['token_id', 'fingerprint', 'duration_ms', 'customer_id', 'id'],
  ],
  async run({ refusals, records, config }, { id, customer, days = USUAL_DAYS }) {
    const [refused, calls] = await Promise.all([
      refusals.list({ requestId: id, customerId: customer }, { limit: MOST, after: undefined }),
      records.ofRequest(id, days, customer),
    ]);
    const kept = [...refused.rows.map(ofRefusal), ...calls.map(ofCall)];
    const found = kept.length > 0 ? kept : await logged(config, { id, customer, days });
    const [only, ...more] = found;
    if (!only)
      throw new ServiceError(
        'not_found',
        `No request with the id ${id} was refused or charged lately. ` +
          (config.LOG_DIRECTORY === undefined
            ? "One that succeeded and cost nothing is in the API's log only"
            : `The log files of ${Math.min(days, config.LOG_RETENTION_DAYS)} days have none either`),
      );
    return more.length === 0 ? only : found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  },
});

/** What became of a request. */
interface Outcome {
  createdAt: Date;
  outcome: string;
}

function ofRefusal({ createdAt, ...refusal }: RefusedRequest): Outcome {
  return { createdAt, outcome: 'refused', ...refusal };
}

function ofCall({ state, reason, createdAt, ...call }: CallOfRequest): Outcome {
  return { createdAt, outcome: state, ...call, ...(reason !== null && { detail: reason }) };
}

/** Requests in the log files, which have all that were answered: those too that succeeded and cost nothing. */
async function logged(
  { LOG_DIRECTORY }: AppConfig,
  { id, customer, days }: { id: string; customer: string | undefined; days: number },
): Promise<(Outcome & Record<string, unknown>)[]> {
  if (LOG_DIRECTORY === undefined) return [];
  // Loaded by then; loading it with the definition would load a framework for every help.
  const { findInLogFiles } = await import('../services/requests.services.js');
  const lines = await findInLogFiles(LOG_DIRECTORY, `"request_id":${JSON.stringify(id)}`, { days, most: 10 * MOST });
  return lines
    .filter(({ msg, customer_id: of }) => msg === 'request' && (customer === undefined || of === customer))
    .slice(0, MOST)
    .map(({ time, customer_id: customerId, token_id: tokenId, duration_ms: durationMs, ...line }) => ({
      createdAt: new Date(String(time)),
      outcome: Number(line.status) < 400 ? 'succeeded' : 'refused',
      ...pick(line, ['method', 'route', 'status', 'code']),
      customerId,
      tokenId,
      durationMs,
    }));
}

function pick(line: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, line[name]]));
}

const list = command({
  name: 'list',
  description:
    'list refused requests, newest first; of a customer or network that had many in a minute, the first ones. -o wide has their ids',
  options: {
    customer: anyCustomer,
    code: optional('--code <code>', 'only those with this code, such as rate_limited'),
    status: optional('--status <status>', 'only those with this status, such as 503', read.status),
    fingerprint: optional('--fingerprint <digits>', 'only those with this refused token', read.fingerprint),
    network: optional('--network <address>', 'only those from this network, as the list shows it'),
    since: optional('--since <time>', 'only those since this time', read.time),
    limit,
    after,
  },
  examples: ['--customer 100001', '--code rate_limited --since 2027-01-31T12:00:00Z', '--fingerprint 3f0c1d9e7d2a'],
  reads: true,
  // A request's id would leave no room for the code, which is why one looks.
  columns: ['created_at', 'customer_number', 'customer', 'status', 'code', 'route', 'detail'],
  moreColumns: [
    ...['request_id', 'method', 'upstream', 'network', 'token_id', 'fingerprint', 'duration_ms', 'customer_id', 'id'],
  ],
  run: ({ refusals }, { customer, code, status, fingerprint, network, since }, { listing }) =>
    refusals.list({ customerId: customer, code, status, fingerprint, network, since }, listing),
});

export const requestNoun: Noun = {
  name: 'request',
  description: 'requests of customers: why they were refused, what they cost',
  commands: [show, list],
};
