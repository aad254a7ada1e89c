import { type Answer } from '../../shared/answer';
import { bearerToken, standing } from '../../shared/credentials';
import { type Directives } from '../../shared/faults/directives';
import { type ReceivedRequest } from '../../shared/faults/request-log';
import { apiError, LOW_BALANCE, rateLimited } from '../errors';
import { API_VERSIONS, type ApiVersion } from './version-rules';

/** Refuses a request for its headers, as the API does before it reads the body. */
export function refuseHeaders({ headers }: ReceivedRequest, requestId: string): Answer | undefined {
  switch (standing(keyOf(headers))) {
    case 'missing':
      return apiError(401, requestId, 'x-api-key header is required');
    case 'invalid':
      return apiError(401, requestId, 'invalid x-api-key');
    case 'forbidden':
      return apiError(403, requestId, 'This API key may not use the requested resource');
    case 'good':
      break;
  }
  const version = headers['anthropic-version'];
  if (version === undefined) return apiError(400, requestId, 'anthropic-version: header is required');
  return versionOf(headers)
    ? undefined
    : apiError(400, requestId, `anthropic-version: "${String(version)}" is not a valid version`);
}

/** Keys travel in x-api-key or, as the official SDK sends them since its 1.0, as a bearer token. */
function keyOf(headers: ReceivedRequest['headers']): string {
  return String((headers['x-api-key'] || bearerToken(headers.authorization)) ?? '');
}

/** The API version that the client asks for; undefined if there is no such version. */
export function versionOf(headers: ReceivedRequest['headers']): ApiVersion | undefined {
  return API_VERSIONS.find((version) => version === headers['anthropic-version']);
}

/** Refuses a request because its directives ask for it. */
export function refuseByDirective(
  { headers }: ReceivedRequest,
  directives: Directives,
  requestId: string,
): Answer | undefined {
  const key = directives.text('api-key');
  if (key !== undefined && key !== keyOf(headers)) return apiError(401, requestId, 'invalid x-api-key');
  if (directives.has('low-balance')) return apiError(400, requestId, LOW_BALANCE);
  // The cap of an account's usage tier is a 429 without Retry-After.
  if (directives.has('spend-limit')) return apiError(429, requestId, 'You have reached your spend limit');
  const status = directives.number('status');
  if (status === undefined || status === 200) return undefined;
  return status === 429 ? rateLimited(requestId, directives.number('retry-after') ?? 1) : apiError(status, requestId);
}
