import type { components } from './schema';
import { beginAttempt } from './unknown-outcomes';

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

/** What an error is to the person if the operator API itself does not say it. */
function withoutAnswer(method: Method, status: number, isRepeat: boolean): Problem {
  const problem = { title: 'No answer', status, code: 'no_answer' };
  if (status >= 400 && status < 500) {
    const outcome = isRepeat ? 'It is still not known whether the attempt before was done.' : 'Nothing was done.';
    return { ...problem, detail: `The request was refused on its way to the service (${status}). ${outcome}` };
  }
  if (method === 'GET') return { ...problem, detail: 'The service does not answer.' };
  const again =
    method === 'POST'
      ? 'Send the same again within a day, before you log out: it is not done twice.'
      : 'Look whether it was, or send the same again.';
  return { ...problem, detail: `The service has not answered: it is not known whether this was done. ${again}` };
}

/** Instead of what would be done a second time if it was done the first time, which nobody can say any more. */
const TOO_LATE: Problem = {
  title: 'Not sent',
  status: 409,
  code: 'outcome_not_known',
  detail:
    'Nothing was sent: you sent the same a day ago, and it is not known whether it was done. Look first; sent once more, it is done anew.',
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

/** For so long after a person's last touch or key the page counts as used. */
const USED_FOR_MS = 60_000;
let lastUse = Date.now();
for (const type of ['pointerdown', 'pointermove', 'wheel', 'keydown'])
  window.addEventListener(type, () => (lastUse = Date.now()), { capture: true, passive: true });

/** What an open page asks by itself does not keep the session of a person who has left. */
const isUnattended = () => Date.now() - lastUse > USED_FOR_MS;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

interface RequestOptions {
  query?: Query;
  body?: object;
  /**
   * The time of the last change that the person has seen: sent as the field `seen` of a POST's body. An attempt whose answer was lost is
   * sent again with its own.
   */
  seen?: string;
  signal?: AbortSignal;
  /** It was done by an attempt before this one, whose answer was lost. */
  onReplay?: () => void;
}

/** Whether an error says what became of a first attempt: one that is refused is not done. */
const isOutcomeKnown = ({ status, problem: { code } }: ApiError) =>
  status >= 400 && status < 500 && code !== 'idempotency_key_in_progress';

/** An error reply. A change without a key may be refused because it was done before: of a record that was deleted there is nothing to delete. */
function refusalOf(method: Method, problem: Problem, isRepeat: boolean): Problem {
  if (!isRepeat || method === 'POST' || problem.status >= 500) return problem;
  return {
    ...problem,
    detail: `${problem.detail}. The attempt before, whose answer was lost, may have done this: look.`,
  };
}

/** The last request of a login: its reply brings the cookie of a session that replaces the former one. */
let login: Promise<unknown> | undefined;

/**
 * Sends a request as the person who is logged in: the session is a cookie that scripts cannot read. @throws ApiError for every
 * failure, except of what was aborted
 */
async function exchange<Result>(
  method: Method,
  path: string,
  { query, body, seen, signal, onReplay }: RequestOptions,
  read: (reply: Response) => Promise<Result>,
): Promise<Result> {
  const address = addressOf(path, query);
  const content = body === undefined ? undefined : JSON.stringify(body);
  // A login or logout is tried anew each time.
  const isKept = method !== 'GET' && !/^log(in|out)\b/.test(path);
  const attempt = isKept ? await beginAttempt([method, address, content], seen) : undefined;
  const text = attempt?.seen === undefined ? content : JSON.stringify({ ...body, seen: attempt.seen });
  const isRepeat = attempt?.isRepeat === true;
  if (method === 'POST' && attempt?.isTooLate) throw new ApiError(TOO_LATE);
  const send = () =>
    fetch(address, {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      signal,
      headers: {
        Accept: 'application/json, application/problem+json',
        ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && attempt ? { 'Idempotency-Key': attempt.key } : {}),
        ...(isUnattended() ? { 'X-Unattended': 'true' } : {}),
      },
      body: text,
    });
  try {
    const sent = send();
    if (method === 'POST' && path.startsWith('login/')) login = sent.catch(() => undefined);
    let reply = await sent;
    if (method === 'GET' && reply.status === 401) {
      // It may have left with the cookie of a session that another login has ended meanwhile: with the new one it is answered.
      // Read to its end: until then its connection is not free.
      await reply.text();
      await login;
      reply = await send();
    }
    if (!reply.ok) {
      const isProblem = reply.headers.get('content-type')?.includes('json') === true;
      throw new ApiError(
        isProblem
          ? refusalOf(method, (await reply.json()) as Problem, isRepeat)
          : withoutAnswer(method, reply.status, isRepeat),
      );
    }
    const result = await read(reply);
    attempt?.end();
    if (reply.headers.has('Idempotency-Replayed')) onReplay?.();
    return result;
  } catch (error) {
    if (signal?.aborted) throw error;
    // The connection broke, also within a reply.
    const failure = error instanceof ApiError ? error : new ApiError(withoutAnswer(method, 0, isRepeat));
    // What refuses a repeat, as an old login or a limit, may not have looked at the attempt before, unless it says that it was done.
    const isDoneBefore = failure.problem.code === 'idempotency_reply_not_kept';
    // With another `seen` it is another request; that which was refused is not done, since its key was looked at before.
    const isOutdated = seen !== undefined && failure.problem.code === 'invalid_request';
    if (isDoneBefore || isOutdated || (!isRepeat && isOutcomeKnown(failure))) attempt?.end();
    throw failure;
  }
}

/** Sends a request, and reads its reply. */
export const call = <Reply>(method: Method, path: string, options: RequestOptions = {}): Promise<Reply> =>
  exchange(method, path, options, async (reply) =>
    reply.status === 204 ? (undefined as Reply) : ((await reply.json()) as Reply),
  );

/** Saves the file that a POST makes, under a name. */
export async function download(path: string, name: string): Promise<void> {
  save(await exchange('POST', path, {}, (reply) => reply.blob()), name);
}

/** Saves a file that the console made. */
export function save(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
