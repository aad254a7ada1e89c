import { randomUUID } from 'node:crypto';
import type { Contestant } from '../support/compare';
import type { StreamContestant } from './compare-streams';
import { SLOW_TEXT } from './streamed-events';

/** Where the servers listen. */
export const PORTS = {
  database: 25_441,
  api: 25_442,
  internal: 25_443,
  upstream: 25_444,
  portkey: 25_445,
  other: 25_451,
  otherInternal: 25_452,
};

const MESSAGES = { messages: [{ role: 'user', content: 'Hello, how are you today?' }], max_tokens: 64 };
const SLOW = { messages: [{ role: 'user', content: SLOW_TEXT }], max_tokens: 64 };
const PATH = '/api/v1/ai/messages';

/** A customer API that is measured. */
export interface Api {
  name: string;
  server: 'api' | 'other';
  tokens: readonly string[];
}

const PORTKEY = 'Portkey (no accounting)';
const PORTKEY_HEADERS = {
  'content-type': 'application/json',
  'x-portkey-provider': 'anthropic',
  'x-portkey-custom-host': `${urlOf('upstream')}/v1`,
  'x-api-key': 'bench',
  authorization: 'Bearer bench',
};

/** A customer API, with one request per token in turn. */
export function ours({ name, server, tokens }: Api): Contestant {
  const requests = tokens.map((token) => ({
    method: 'POST' as const,
    path: PATH,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(MESSAGES),
  }));
  return { name, url: urlOf(server), requests };
}

/**
 * A customer API, where every request has a header of its own: an Idempotency-Key, or one without meaning, so that the load
 * generator's work is the same.
 */
export function oursWithOwnHeader(name: string, api: Api, header: 'idempotency-key' | 'x-own'): Contestant {
  const { url, requests } = ours(api);
  const each = requests.map((request) => ({
    ...request,
    setupRequest: (next: typeof request) => ({ ...next, headers: { ...next.headers, [header]: randomUUID() } }),
  }));
  return { name, url, requests: each };
}

/** As many requests as ours, so that the load generator's work is the same. */
export function portkey(count: number): Contestant {
  const body = JSON.stringify({ model: 'bench', ...MESSAGES });
  const request = { method: 'POST' as const, path: '/v1/messages', headers: PORTKEY_HEADERS, body };
  return { name: PORTKEY, url: urlOf('portkey'), requests: Array.from({ length: count }, () => request) };
}

/** A stream of a customer API. */
export function ourStream({ name, server, tokens: [token] }: Api, slow = false): StreamContestant {
  const body = JSON.stringify({ ...(slow ? SLOW : MESSAGES), stream: true });
  const headers = { authorization: `Bearer ${token}` };
  return { name, request: { url: urlOf(server), path: PATH, headers, body } };
}

/** A stream of Portkey, or of the stand-in upstream without a gateway. */
export function otherStream(server: 'portkey' | 'upstream'): StreamContestant {
  const body = JSON.stringify({ model: 'bench', ...MESSAGES, stream: true });
  const request = { url: urlOf(server), path: '/v1/messages', headers: PORTKEY_HEADERS, body };
  return { name: server === 'portkey' ? PORTKEY : 'no gateway', request };
}

export function urlOf(server: keyof typeof PORTS): string {
  return `http://127.0.0.1:${PORTS[server]}`;
}
