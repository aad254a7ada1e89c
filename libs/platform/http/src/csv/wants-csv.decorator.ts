import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

const CSV = 'text/csv';

/**
 * Whether the caller prefers CSV to JSON (`Accept`, RFC 9110 §12.5.1): CSV is named, and not less wanted. A HEAD request gets
 * the headers of the JSON: nothing is exported for a body that is not sent.
 */
export const WantsCsv = createParamDecorator((_: unknown, context: ExecutionContext): boolean => {
  const { method, headers } = context.switchToHttp().getRequest<FastifyRequest>();
  return method === 'GET' && prefersCsv(headers.accept);
});

/** Whether an `Accept` header prefers CSV to JSON. */
export function prefersCsv(accept = ''): boolean {
  const weights = new Map(accept.split(',').map(weighed));
  const csv = weights.get(CSV) ?? weights.get('text/*') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? 0;
  return csv > 0 && csv >= json;
}

function weighed(range: string): [type: string, weight: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
  const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
  return [type, weight];
}
