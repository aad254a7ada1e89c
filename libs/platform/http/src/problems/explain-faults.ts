import type { ValidationError } from 'class-validator';
import { ServiceError } from '@platform/errors';
import { similarName } from '../routing/similar-name';

interface Fault {
  pointer: string;
  detail: string;
}

/**
 * Describes the faults of a body or query. Unknown fields are ignored, but named if a required field with a similar
 * name is missing. @param input the parsed body or query, unknown fields included
 */
export function explainFaults(found: ValidationError[], input: unknown): ServiceError {
  const missing = found.filter(({ value }) => value === undefined).map(({ property }) => property);
  const hints = misspelt(missing, input);
  const errors = found.flatMap((fault) => explain(fault, '', hints));
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

function explain(fault: ValidationError, parent: string, hints: Map<string, string>): Fault[] {
  const pointer = `${parent}/${fault.property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const hint = hints.get(fault.property);
  const own = Object.values(fault.constraints ?? {}).map((detail) => ({
    pointer,
    detail: hint === undefined ? detail : `${detail} (you sent ${hint}; did you mean ${fault.property}?)`,
  }));
  return [...own, ...(fault.children ?? []).flatMap((child) => explain(child, pointer, NO_HINTS))];
}

const NO_HINTS = new Map<string, string>();
