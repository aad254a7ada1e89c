import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { explainFaults } from './problems/explain-faults';

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
  private readonly withoutQuery = new Map<unknown, Promise<object>>();

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // Values of our own decorators, such as the customer, are not input.
    if (metadata.type === 'custom') return value as Promise<unknown>;
    if (metadata.type !== 'query' || Object.keys(value ?? {}).length > 0) return this.check(value, metadata);
    let empty = this.withoutQuery.get(metadata.metatype);
    if (!empty) {
      empty = super.transform({}, metadata) as Promise<object>;
      this.withoutQuery.set(metadata.metatype, empty);
    }
    // A copy for each call, so that no handler can change the next call's defaults.
    return empty.then((query) => Object.assign(Object.create(Object.getPrototypeOf(query) as object) as object, query));
  }

  private async check(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      throw error instanceof InvalidInput ? explainFaults(error.faults, value) : error;
    }
  }
}
