import type { components } from './schema';

/** A record as the operator API's document describes it. */
export type Dto<Name extends keyof components['schemas']> = components['schemas'][Name];

/** Everything that the console asks for is below it. */
export const BASE = '/operator/v1';

/** The problem details of an error reply (RFC 9457), as the operator API writes them. */
export interface Problem {
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id?: string;
  errors?: { pointer: string; detail: string }[];
}

/** An error reply. Its `status` and `body` are what react-admin looks for. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Problem;

  constructor(readonly problem: Problem) {
    super(problem.detail);
    this.status = problem.status;
    this.body = problem;
  }

  /** The faults of a form by its fields' names, for the form to show them there. */
  get fieldErrors(): Record<string, string> {
    const errors = this.problem.errors ?? [];
    return Object.fromEntries(
      errors.map(({ pointer, detail }) => {
        const name = pointer.replace(/^\//, '').replaceAll('/', '.');
        return [name, sentenceWithout(name, detail)];
      }),
    );
  }
}

/** A fault without the field's name in the API: it stands at the field, which has a label. */
function sentenceWithout(name: string, detail: string): string {
  const text = detail.startsWith(`${name} `) ? detail.slice(name.length + 1) : detail;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const AWAY: Problem = {
  title: 'No answer',
  status: 0,
  code: 'no_answer',
  detail: 'The service does not answer. Nothing was changed if you had just sent something that you see no result of.',
};

export type Query = Record<string, string | number | boolean | undefined | null>;

function addressOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return `${BASE}/${path}${text === '' ? '' : `?${text}`}`;
}

/**
 * Sends a request as the person who is logged in: the session is a cookie that scripts cannot read.
 *
 * A POST carries a key of its own, so that a request whose reply was lost has its effect once when it is sent again.
 */
export async function call<Reply>(
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  { query, body, key, signal }: { query?: Query; body?: unknown; key?: string; signal?: AbortSignal } = {},
): Promise<Reply> {
  let reply: Response;
  try {
    reply = await fetch(addressOf(path, query), {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
      headers: {
        Accept: 'application/json, application/problem+json',
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(method === 'POST' ? { 'Idempotency-Key': key ?? crypto.randomUUID() } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(AWAY);
  }
  if (reply.status === 204) return undefined as Reply;
  const type = reply.headers.get('content-type') ?? '';
  if (!reply.ok) {
    throw new ApiError(type.includes('json') ? ((await reply.json()) as Problem) : { ...AWAY, status: reply.status });
  }
  return (await reply.json()) as Reply;
}

/** A reply's file, which the browser saves under a name. */
export async function download(
  method: 'GET' | 'POST',
  path: string,
  name: string,
  key: string = crypto.randomUUID(),
): Promise<void> {
  const reply = await fetch(addressOf(path), {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: method === 'POST' ? { 'Idempotency-Key': key } : {},
  }).catch(() => {
    throw new ApiError(AWAY);
  });
  if (!reply.ok) throw new ApiError((await reply.json()) as Problem);
  save(await reply.blob(), name);
}

/** Saves a file that the console made. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
