import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@app/errors';

/** Levels that a body may be nested: more than any valid one has, fewer than what walks through it can bear. */
const MAX_DEPTH = 100;

/** Parses a body. @throws ServiceError invalid_request for what is not one JSON object in UTF-8. */
export function parseJson(bytes: Buffer): Record<string, unknown> {
  const refuse = (detail: string) => new ServiceError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
  if (bytes.length === 0) throw refuse('A JSON body is required');
  if (!isUtf8(bytes)) throw refuse('The body is not UTF-8');
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString());
  } catch {
    throw refuse('The body is not valid JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw refuse('The body must be a JSON object');
  if (isDeeperThan(MAX_DEPTH, body)) throw refuse('The body is nested too deeply');
  return body as Record<string, unknown>;
}

/** Goes level by level: recursion would be the very fault it looks for. */
function isDeeperThan(limit: number, body: object): boolean {
  let level: unknown[] = [body];
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap((node) =>
      Object.values(node as Record<string, unknown>).filter((value) => typeof value === 'object' && value !== null),
    );
    if (level.length === 0) return false;
  }
  return true;
}
