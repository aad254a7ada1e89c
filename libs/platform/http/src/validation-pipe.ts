import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ServiceError } from '@platform/errors';
import { similarName } from './similar-name';

/** Errors of class-validator, passed on to where the input itself is known. */
class InvalidInput extends Error {
  constructor(readonly faults: ValidationError[]) {
    super('The input is not valid');
  }
}

/**
 * Checks bodies and queries against their DTOs. Unknown fields are dropped, never refused and never used: above all
 * a customer identifier.
 */
export function createValidationPipe(): ValidationPipe {
  return new QuickValidationPipe({
    transform: true,
    whitelist: true,
    stopAtFirstError: true,
    validationError: { target: false, value: true },
    exceptionFactory: (faults: ValidationError[]) => new InvalidInput(faults),
  });
}

/**
 * Skips validation where there is nothing to validate: most calls have no query, and its defaults are computed once per
 * DTO.
 */
class QuickValidationPipe extends ValidationPipe {
  /** The defaults of a query, by DTO. */
  private readonly defaults = new Map<unknown, object>();

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Values of our own decorators, such as the customer, are not input. Nest takes them without a promise as well.
    if (metadata.type === 'custom') return value as Promise<unknown>;
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
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? explainFaults(error.faults, value) : error;
    }
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
