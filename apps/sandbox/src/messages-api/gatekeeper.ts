import { Answer } from '../shared/answer';
import { standing } from '../shared/credentials';
import { Directives } from '../shared/directives';
import { ReceivedRequest } from '../shared/request-log';
import { apiError, LOW_BALANCE, rateLimited } from './errors';

/** Refuses a request for its headers, as the API does before it reads the body. */
export function refuseHeaders(request: ReceivedRequest, requestId: string): Answer | undefined {
  const key = request.headers['x-api-key'];
  switch (standing(typeof key === 'string' ? key : undefined)) {
    case 'missing':
      return apiError(401, requestId, 'x-api-key header is required');
    case 'invalid':
      return apiError(401, requestId, 'invalid x-api-key');
    case 'forbidden':
      return apiError(403, requestId, 'This API key may not use the requested resource');
  }
  const version = request.headers['anthropic-version'];
  if (typeof version !== 'string') return apiError(400, requestId, 'anthropic-version: header is required');
  if (!/^\d{4}-\d{2}-\d{2}$/.test(version))
    return apiError(400, requestId, `anthropic-version: "${version}" is not a valid version`);
  return undefined;
}

/** Refuses a request because its directives ask for it. */
export function refuseByDirective(directives: Directives, requestId: string): Answer | undefined {
  if (directives.has('low-balance')) return apiError(400, requestId, LOW_BALANCE);
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  return status === 429 ? rateLimited(requestId, directives.number('retry-after') ?? 1) : apiError(status, requestId);
}
