import type { FastifyReply } from 'fastify';
import { nearMisses, ServiceError } from '@platform/errors';

/** Names in the header, and names of a body or a query that are looked at: bounds the cost of a hostile one. */
const MOST_NAMED = 10;
const MOST_COMPARED = 50;

/** Values of the paging parameters of other interfaces that mean the first page, which is what such a request gets. */
const FIRST_PAGE: Record<string, string> = { page: '1', offset: '0' };

/** The reply to a request, by its query or its body: a pipe is given these alone. */
const replies = new WeakMap<object, FastifyReply>();

/** Lets the pipe that checks an input find the reply to it. */
export function rememberReply(input: unknown, reply: FastifyReply): void {
  if (typeof input === 'object' && input !== null) replies.set(input, reply);
}

/** Names in the reply's `X-Ignored` those unknown names of an input that are near misses of known ones. */
export function nameIgnored(input: object, known: readonly string[]): void {
  const reply = replies.get(input);
  if (reply) addIgnored(reply, nearMisses(Object.keys(input).slice(0, MOST_COMPARED), known));
}

/** Adds names to the header `X-Ignored` of a reply. */
export function addIgnored(reply: FastifyReply, names: readonly string[]): void {
  // Nobody else's name is put into a header as it is.
  const listed = names.filter((name) => name.isWellFormed()).slice(0, MOST_NAMED);
  if (listed.length > 0) void reply.header('x-ignored', listed.map(encodeURIComponent).join(', '));
}

/**
 * Refuses what a list would ignore at its caller's cost: a program that counts pages would never end, and a filter that is not
 * one of this list would return everything. Refuses parameters that are given twice as well.
 * @param known the parameters of the list
 * @param filters the parameters of all lists
 * @throws ServiceError invalid_request
 */
export function refuseMisleading(query: object, known: readonly string[], filters: ReadonlySet<string>): void {
  const faults = Object.entries(query).flatMap(([name, value]) => {
    const detail = misleading(name, value, known, filters);
    return detail === undefined ? [] : { pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail };
  });
  if (faults.length === 0) return;
  throw new ServiceError('invalid_request', faults.map(({ detail }) => detail).join('; '), { errors: faults });
}

function misleading(
  name: string,
  value: unknown,
  known: readonly string[],
  filters: ReadonlySet<string>,
): string | undefined {
  if (known.includes(name)) return Array.isArray(value) ? `${name} can be given only once` : undefined;
  if (Object.hasOwn(FIRST_PAGE, name) && value !== FIRST_PAGE[name])
    return `${name} is not known here: to get the next page, send the next_cursor of this one as cursor`;
  const [, plain = ''] = /^([^[]+)\[/.exec(name) ?? [];
  if (filters.has(plain)) return `${plain} can be given only once, without brackets: ${plain}=…`;
  if (!filters.has(name)) return undefined;
  const own = known.filter((parameter) => parameter !== 'limit' && parameter !== 'cursor');
  return `${name} is no filter of this list; it has ${own.join(', ')}`;
}
