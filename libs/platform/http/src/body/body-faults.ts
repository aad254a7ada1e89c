import { ServiceError } from '@platform/errors';
import { JsonFault, type JsonFaultKind } from '@platform/json';

const DETAILS: Record<Exclude<JsonFaultKind, 'too_many_values'>, string> = {
  not_utf8: 'The body is not UTF-8',
  syntax: 'The body is not valid JSON',
  not_an_object: 'The body must be a JSON object',
  too_deep: 'The body is nested too deeply',
};

/** Converts a fault of the JSON to an error for the caller; other errors are returned unchanged. */
export function explainBodyFault(error: unknown, mostValues: number): unknown {
  if (!(error instanceof JsonFault)) return error;
  if (error.kind === 'too_many_values')
    return new ServiceError(
      'payload_too_large',
      `The body may consist of ${mostValues} objects, arrays and values at most`,
    );
  return invalidBody(DETAILS[error.kind]);
}

/** The error for a body that is not a JSON object. */
export function invalidBody(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
}
