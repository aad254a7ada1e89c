import { type ArgumentMetadata, ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ServiceError } from '@app/errors';

/**
 * Checks bodies and queries against their DTOs. Unknown fields are dropped, never refused and never used: above all
 * a customer identifier (specification §1, rule 1).
 */
export function createValidationPipe(): ValidationPipe {
  return new QuickValidationPipe({
    transform: true,
    whitelist: true,
    stopAtFirstError: true,
    validationError: { target: false, value: false },
    exceptionFactory: (faults: ValidationError[]) => {
      const errors = faults.flatMap((fault) => explain(fault, ''));
      const detail = errors.map((error) => error.detail).join('; ');
      return new ServiceError('invalid_request', detail, { errors });
    },
  });
}

/** Spends nothing where nothing is to be checked: most calls have no query, and what that gives is worked out once for each DTO. */
class QuickValidationPipe extends ValidationPipe {
  private readonly withoutQuery = new Map<unknown, Promise<object>>();

  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    // What our own decorators give, such as the customer, is no input.
    if (metadata.type === 'custom') return value as Promise<unknown>;
    if (metadata.type !== 'query' || Object.keys(value ?? {}).length > 0) return super.transform(value, metadata);
    let empty = this.withoutQuery.get(metadata.metatype);
    if (!empty) {
      empty = super.transform({}, metadata) as Promise<object>;
      this.withoutQuery.set(metadata.metatype, empty);
    }
    // A copy for each call: nobody can change what the next one gets.
    return empty.then((query) => Object.assign(Object.create(Object.getPrototypeOf(query) as object) as object, query));
  }
}

function explain(fault: ValidationError, parent: string): { pointer: string; detail: string }[] {
  const pointer = `${parent}/${fault.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.values(fault.constraints ?? {}).map((detail) => ({ pointer, detail }));
  return [...own, ...(fault.children ?? []).flatMap((child) => explain(child, pointer))];
}
