import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import { getMetadataStorage, type ValidationError } from 'class-validator';
import { ServiceError, similarName } from '@platform/errors';
import { nameIgnored, refuseMisleading } from './ignored-input';

/** Errors of class-validator, passed on to where the input itself is known. */
class InvalidInput extends Error {
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
    const defaults = (await super.transform({}, metadata)) as object;
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
  private withoutUnknown(value: unknown, { metatype }: ArgumentMetadata): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || metatype === undefined) return value;
    let known = this.names.get(metatype);
    if (!known) this.names.set(metatype, (known = fieldNames(metatype)));
    if (this.lists.includes(metatype)) refuseMisleading(value, known, this.filters);
    nameIgnored(value, known);
    // Not a DTO, but a type that is not checked.
    if (known.length === 0) return value;
    const given = known.filter((name) => Object.hasOwn(value, name));
    return Object.fromEntries(given.map((name) => [name, (value as Record<string, unknown>)[name]]));
  }
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
  const given = typeof input === 'object' && input !== null ? Object.keys(input).slice(0, MAX_NAMES) : [];
  const similar = missing.map((name) => [name, similarName(name, given)] as const);
  return new Map(similar.filter((pair): pair is [string, string] => pair[1] !== undefined));
}

/** Maximum number of names that are compared. */
const MAX_NAMES = 50;

function explainOne(fault: ValidationError, parent: string, hints: Map<string, string>): Fault[] {
  const pointer = `${parent}/${fault.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const hint = hints.get(fault.property);
  const own = Object.values(fault.constraints ?? {}).map((detail) => ({
    pointer,
    detail: hint === undefined ? detail : `${detail} (you sent ${hint}; did you mean ${fault.property}?)`,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => explainOne(child, pointer, NO_HINTS))];
}

const NO_HINTS = new Map<string, string>();
