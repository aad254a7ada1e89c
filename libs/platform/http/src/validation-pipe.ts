import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { nearMisses, pointerSegment, ServiceError, similarName, UntracedError } from '@platform/errors';

/** Errors of class-validator, passed on to where the input itself is known. */
class InvalidInput extends UntracedError {
  constructor(readonly faults: ValidationError[]) {
    super('The input is not valid');
  }
}

/**
 * Checks bodies and queries against their DTOs. Unknown fields are dropped and never used: above all a customer identifier.
 * The reply names those that were probably meant for known ones; refused are only those that mislead ({@link refuseMisleading}).
 * @param lists the queries of all lists
 */
export function createValidationPipe(lists: Type[]): ValidationPipe {
  return new QuickValidationPipe(lists);
}

/** Names of the fields of a DTO. */
export function fieldNames(dto: Type): string[] {
  const found = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  return [...new Set(found.map(({ propertyName }) => propertyName))];
}

/**
 * Skips validation where there is nothing to validate: most calls have no query, and its defaults are computed once per
 * DTO.
 */
class QuickValidationPipe extends ValidationPipe {
  /** The defaults of a query, by DTO. */
  private readonly defaults = new Map<unknown, object>();
  /** The names of a DTO's fields. */
  private readonly names = new Map<unknown, string[]>();
  private readonly filters: ReadonlySet<string>;

  constructor(private readonly lists: Type[]) {
    super({
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      validationError: { target: false, value: true },
      exceptionFactory: (faults: ValidationError[]) => new InvalidInput(faults),
    });
    this.filters = new Set(lists.flatMap(fieldNames));
  }

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Values of our own decorators, such as the customer, are not input. Nest takes them without a promise as well.
    // Ids of the path are read by `PathId`: the parent would take 0x1 and 1e0 for 1.
    if (metadata.type === 'custom' || metadata.type === 'param') return value as Promise<unknown>;
    if (metadata.type !== 'query' || Object.keys(value ?? {}).length > 0) return this.check(value, metadata);
    const known = this.defaults.get(metadata.metatype);
    return known ? (copyOf(known) as Promise<unknown>) : this.findDefaults(metadata);
  }

  private async findDefaults(metadata: ArgumentMetadata): Promise<unknown> {
    const defaults = (await this.check({}, metadata)) as object;
    this.defaults.set(metadata.metatype, defaults);
    return copyOf(defaults);
  }

  private async check(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const known = this.withoutUnknown(value, metadata);
    try {
      return await super.transform(known, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? explainFaults(error.faults, value) : error;
    }
  }

  /**
   * An input without the names that its DTO does not know, which are judged. The parent drops them only after it has made an
   * object with all of them, several microseconds each.
   * @throws ServiceError invalid_request
   */
  private withoutUnknown(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || metatype === undefined) return value;
    if (type === 'query' && Object.keys(value).length > MOST_PARAMETERS)
      throw new ServiceError('invalid_request', `The address has more than ${MOST_PARAMETERS} parameters`);
    let known = this.names.get(metatype);
    if (!known) this.names.set(metatype, (known = fieldNames(metatype)));
    if (this.lists.includes(metatype)) refuseMisleading(value, known, this.filters);
    nameIgnored(value, known);
    // Not a DTO, but a type that is not checked.
    if (known.length === 0) return value;
    const given: Record<string, unknown> = {};
    for (const name of known) if (Object.hasOwn(value, name)) given[name] = (value as Record<string, unknown>)[name];
    return given;
  }
}

/** Names in the header or in an error, and names of a body or a query that are compared: bounds the cost of a hostile one. */
const MOST_NAMED = 10;
/** Names of a query. No list has a tenth of them. */
const MOST_PARAMETERS = 100;
const MOST_COMPARED = 50;
/** Characters of the header. Proxies have some thousand for all headers of a reply, and fail one that has more. */
export const LONGEST_IGNORED = 2000;

/**
 * Values of the paging parameters of other interfaces that mean the first page, which is what such a request gets; and of a cursor that is
 * sent by the name that it has in replies.
 */
const FIRST_PAGE: Record<string, string> = { page: '1', offset: '0', next_cursor: '' };

const REPLY = Symbol('the reply to a request');

/** A request's query or its body, of which a pipe is given no more. */
interface Input {
  [REPLY]?: FastifyReply;
}

/**
 * Lets the pipe that checks an input find the reply to it: as a hidden property of the input. In a WeakMap the reply, which refers to the
 * input, would outlive every small collection.
 */
export function rememberReply(input: unknown, reply: FastifyReply): void {
  if (typeof input === 'object' && input !== null) Object.defineProperty(input, REPLY, { value: reply });
}

/** Names in the reply's `X-Ignored` those unknown names of an input that are near misses of known ones. */
function nameIgnored(input: Input, known: readonly string[]): void {
  const unknown = Object.keys(input)
    .slice(0, MOST_COMPARED)
    .filter((name) => !known.includes(name));
  const reply = unknown.length > 0 ? input[REPLY] : undefined;
  if (reply) addIgnored(reply, nearMisses(unknown, known));
}

/** Adds names to the header `X-Ignored` of a reply, as many as its length allows. */
export function addIgnored(reply: FastifyReply, names: readonly string[]): void {
  let text = '';
  for (const name of names.filter((one) => one.isWellFormed()).slice(0, MOST_NAMED)) {
    // Nobody else's name is put into a header as it is.
    const longer = `${text}${text && ', '}${encodeURIComponent(name)}`;
    if (longer.length > LONGEST_IGNORED) break;
    text = longer;
  }
  if (text !== '') void reply.header('x-ignored', text);
}

/**
 * Refuses what a list would ignore at its caller's cost: a program that counts pages would never end, and a filter that is not
 * one of this list would return everything. Refuses parameters that are given twice as well.
 * @param known the parameters of the list
 * @param filters the parameters of all lists
 * @throws ServiceError invalid_request
 */
function refuseMisleading(query: object, known: readonly string[], filters: ReadonlySet<string>): void {
  const faults: { pointer: string; detail: string }[] = [];
  for (const name of Object.keys(query)) {
    const detail = misleading(name, query, known, filters);
    if (detail === undefined) continue;
    faults.push({ pointer: pointerSegment(name), detail });
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
    return `${name} is not known here: to get the next page, send the next_cursor of this page as cursor`;
  const [, plain = ''] = /^([^[]+)\[/.exec(name) ?? [];
  if (filters.has(plain)) return `${plain} can be given only once, without brackets: ${plain}=…`;
  if (!filters.has(name)) return undefined;
  const own = known.filter((parameter) => parameter !== 'limit' && parameter !== 'cursor');
  return `${name} is not a filter of this list; its filters are ${own.join(', ')}`;
}

/** A copy for each call, so that no handler can change the next call's defaults. */
function copyOf(defaults: object): object {
  return Object.assign(Object.create(Object.getPrototypeOf(defaults) as object) as object, defaults);
}

interface Fault {
  pointer: string;
  detail: string;
}

/**
 * Describes the faults of a body or query. Unknown fields are ignored, but named if a required field with a similar
 * name is missing. @param input the parsed body or query, unknown fields included
 */
function explainFaults(found: ValidationError[], input: unknown): ServiceError {
  const missing = found.filter(({ value }) => value === undefined).map(({ property }) => property);
  const hints = misspelt(missing, input);
  const errors = found.flatMap((fault) => explainOne(fault, '', hints));
  return new ServiceError('invalid_request', errors.map(({ detail }) => detail).join('; '), { errors });
}

/** Missing fields, each with the unknown field that was probably meant. */
function misspelt(missing: string[], input: unknown): Map<string, string> {
  const given = typeof input === 'object' && input !== null ? Object.keys(input).slice(0, MOST_COMPARED) : [];
  const similar = missing.map((name) => [name, similarName(name, given)] as const);
  return new Map(similar.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

function explainOne(fault: ValidationError, parent: string, hints: Map<string, string>): Fault[] {
  const pointer = `${parent}${pointerSegment(fault.property)}`;
  const hint = hints.get(fault.property);
  const own = Object.values(fault.constraints ?? {}).map((detail) => ({
    pointer,
    detail: hint === undefined ? detail : `${detail} (you sent ${hint}; did you mean ${fault.property}?)`,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => explainOne(child, pointer, NO_HINTS))];
}

const NO_HINTS = new Map<string, string>();
