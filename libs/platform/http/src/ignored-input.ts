import type { FastifyReply } from 'fastify';
import { nearMisses, ServiceError } from '@platform/errors';

/** Names in the header or in an error, and names of a body or a query that are compared: bounds the cost of a hostile one. */
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
  const faults: { pointer: string; detail: string }[] = [];
  for (const name of Object.keys(query)) {
    const detail = misleading(name, query, known, filters);
    if (detail === undefined) continue;
    faults.push({ pointer: `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, detail });
    // An address of many names would make a reply that is many times as long.
    if (faults.length === MOST_NAMED) break;
  }
  if (faults.length === 0) return;
  throw new ServiceError('invalid_request', faults.map(({ detail }) => detail).join('; '), { errors: faults });
}

function misleading(
  name: string,
  query: object,
  known: readonly string[],
  filters: ReadonlySet<string>,
): string | undefined {
  const valueOf = () => (query as Record<string, unknown>)[name];
  if (known.includes(name)) return Array.isArray(valueOf()) ? `${name} can be given only once` : undefined;
  if (Object.hasOwn(FIRST_PAGE, name) && valueOf() !== FIRST_PAGE[name])
    return `${name} is not known here: to get the next page, send the next_cursor of this one as cursor`;
  const [, plain = ''] = /^([^[]+)\[/.exec(name) ?? [];
  if (filters.has(plain)) return `${plain} can be given only once, without brackets: ${plain}=…`;
  if (!filters.has(name)) return undefined;
  const own = known.filter((parameter) => parameter !== 'limit' && parameter !== 'cursor');
  return `${name} is no filter of this list; it has ${own.join(', ')}`;
}
