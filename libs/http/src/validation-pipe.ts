import { ValidationPipe } from '@nestjs/common';
import type { ValidationError } from 'class-validator';
import { ServiceError } from '@app/errors';

/**
 * Checks bodies and queries against their DTOs. Unknown fields are dropped, never refused and never used: above all
 * a customer identifier (specification §1, rule 1).
 */
export function createValidationPipe(): ValidationPipe {
  return new ValidationPipe({
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

function explain(fault: ValidationError, parent: string): { pointer: string; detail: string }[] {
  const pointer = `${parent}/${fault.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.values(fault.constraints ?? {}).map((detail) => ({ pointer, detail }));
  return [...own, ...(fault.children ?? []).flatMap((child) => explain(child, pointer))];
}
