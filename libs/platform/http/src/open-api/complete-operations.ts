import { allErrors, type ErrorCode, problemType } from '@platform/errors';
import { KEY_MAX } from '../keyed-requests.service';
import type { HeaderDescription, ProblemDialect } from '../problem';
import { WITHHELD_MARK, WITHOUT_EFFECT_MARK } from '../route-rules';
import { LONGEST_IGNORED } from '../validation-pipe';
import {
  type Document,
  operationsOf,
  type Operation,
  type Parameter,
  postsOf,
  type Reply,
  resolve,
  scopesOf,
} from './document';
import { type DeclaredProblems, PROBLEM_PREFIX, takeDeclaredProblems } from './problem-replies.decorator';

const REQUEST_ID = '3f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11';
const PROBLEM = { $ref: '#/components/schemas/ProblemDto' };

/** Name of the header. */
const KEY = 'Idempotency-Key';
const PROBLEMS = ['idempotency_key_in_progress', 'idempotency_key_reused', 'idempotency_reply_not_kept'];

/** The header. @param withheld fields of the reply that are not kept */
const keyHeader = (withheld: readonly string[] = []): Parameter => ({
  name: KEY,
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry. Send a new key of your own, such as a UUID, with each new request, and the same key ' +
    'with its retries. The request has its effect once. A retry within 24 hours gets the reply of the first try, ' +
    (withheld.length === 0
      ? 'byte for byte,'
      : `with null as \`${withheld.join('` and `')}\`, which is shown once, and`) +
    ' with `Idempotency-Replayed: true`. If the first try had no effect, the retry runs.',
  schema: { type: 'string', minLength: 1, maxLength: KEY_MAX, pattern: '^[\\x20-\\x7e]+$' },
  example: '5f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
});

/** Errors that any request can get before its route is found, and errors that any body can cause. */
const ANY_REQUEST: ErrorCode[] = ['invalid_request', 'uri_too_long', 'headers_too_large'];
const ANY_BODY: ErrorCode[] = ['request_timeout', 'payload_too_large', 'unsupported_media_type'];

const integer = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 2_147_483_647 },
  example,
});
const HEADERS = {
  'X-Request-Id': {
    description: "The request's id: your own if you sent one, else generated. Quote it to the operator.",
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w.~:+/=-]{1,128}$' },
    example: REQUEST_ID,
  },
  'Request-Id': {
    description: 'The value of `X-Request-Id`, under the name that SDKs of AI providers read.',
    schema: { type: 'string', maxLength: 128, pattern: '^[\\w.~:+/=-]{1,128}$' },
    example: REQUEST_ID,
  },
  'X-RateLimit-Limit': integer(
    'Requests that the limit allows per minute. Of several limits, these headers show the one that is nearest to being reached; of a ' +
      'request that yours did not count, such as one with 401, that of your network address.',
    600,
  ),
  'X-RateLimit-Remaining': integer('Requests left until the count begins again.', 599),
  'X-RateLimit-Reset': integer('Seconds until the count begins again.', 42),
  'Idempotency-Replayed': {
    description: '`true` if this is the reply to the first request with this Idempotency-Key, sent again.',
    schema: { type: 'string', enum: ['true'], maxLength: 4 },
    example: 'true',
  },
  'X-Ignored': {
    description:
      'Names in your request that are unknown and similar to known names, percent-encoded. They have no effect: correct them.',
    schema: { type: 'string', maxLength: LONGEST_IGNORED },
    example: 'maxTokens',
  },
  'Retry-After': integer('Seconds to wait before the next try.', 12),
  'WWW-Authenticate': {
    description: 'The fault of the token (RFC 6750).',
    schema: { type: 'string', maxLength: 200 },
    example: 'Bearer error="invalid_token"',
  },
} satisfies Record<string, HeaderDescription>;

/** Adds the header Idempotency-Key to every POST that has an effect, and its errors. */
export function describeIdempotency(document: Document): void {
  for (const operation of postsOf(document)) {
    if (takeMark(operation, WITHOUT_EFFECT_MARK)) continue;
    const withheld = takeMark(operation, WITHHELD_MARK) as readonly string[] | undefined;
    operation.parameters = [...(operation.parameters ?? []), keyHeader(withheld)];
    Object.assign(operation, Object.fromEntries(PROBLEMS.map((code) => [`${PROBLEM_PREFIX}${code}`, null])));
  }
}

/** The value of a mark, which is removed. */
function takeMark(operation: Operation, mark: string): unknown {
  const value: unknown = Reflect.get(operation, mark);
  Reflect.deleteProperty(operation, mark);
  return value;
}

/** Whether an operation takes the header. */
function isRetriable({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === KEY);
}

/** Whether an operation has a body, or parameters in its query. */
function takesInput({ requestBody, parameters = [] }: Operation): boolean {
  return requestBody !== undefined || parameters.some((parameter) => parameter.in === 'query');
}

/** Adds the replies that every operation can give, and the headers of every reply. */
export function completeReplies(document: Document, dialect?: ProblemDialect): void {
  document.components.headers = { ...HEADERS, ...dialect?.headers };
  const inDialect = new Set(
    Object.entries(document.paths).flatMap(([path, item]) =>
      dialect && path.startsWith(dialect.prefix) ? Object.values(item) : [],
    ),
  );
  for (const operation of operationsOf(document)) {
    const own = inDialect.has(operation) ? dialect : undefined;
    addProblems(document, operation, own);
    for (const [status, reply] of Object.entries(operation.responses)) {
      const replayed = isRetriable(operation) && /^(2..|502)$/.test(status) ? (['Idempotency-Replayed'] as const) : [];
      const ignored = takesInput(operation) && !BEFORE_THE_INPUT.includes(status) ? (['X-Ignored'] as const) : [];
      const ofErrors = own && !status.startsWith('2') ? Object.keys(own.headers) : [];
      reply.headers = {
        ...reply.headers,
        ...Object.fromEntries(
          [...headersOf(status), ...replayed, ...ignored, ...ofErrors].map((name) => [
            name,
            { $ref: `#/components/headers/${name}` },
          ]),
        ),
      };
    }
  }
}

function addProblems(document: Document, operation: Operation, dialect?: ProblemDialect): void {
  const codes = operation.requestBody ? [...ANY_REQUEST, ...ANY_BODY] : ANY_REQUEST;
  const problems: DeclaredProblems = {
    ...Object.fromEntries(codes.map((code) => [code, null])),
    ...takeDeclaredProblems(operation),
  };
  operation.responses = { ...operation.responses, ...problemReplies(document, operation, problems, dialect) };
}

/** Statuses of errors that may say when to try again: credit that is reserved, and what another system asks for, too. */
const MAY_BE_TEMPORARY = ['402', '409', '429', '502', '503', '529'];

/** Statuses of errors that come before the names in a request are read. */
const BEFORE_THE_INPUT = ['401', '414', '415', '431'];

function headersOf(status: string): (keyof typeof HEADERS)[] {
  const always = [
    'X-Request-Id',
    'Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
  ] as const;
  if (MAY_BE_TEMPORARY.includes(status)) return [...always, 'Retry-After'];
  if (status === '401' || status === '403') return [...always, 'WWW-Authenticate'];
  return [...always];
}

/** The error replies of an operation by status: one reply for each status, with its codes and an example of each. */
function problemReplies(
  document: Document,
  operation: Operation,
  problems: DeclaredProblems,
  dialect?: ProblemDialect,
): Record<string, Reply> {
  const codes = (Object.keys(problems) as ErrorCode[]).sort();
  const replies = [...Map.groupBy(codes, (code) => allErrors[code].status)].map(([status, group]) => {
    const examples = group.map((code) => {
      const body = exampleOf(document, operation, code, problems[code]);
      return [code, { value: dialect ? dialect.convert({ status, headers: {}, body }).body : body }] as const;
    });
    const schema = dialect ? { $ref: `#/components/schemas/${dialect.dto.name}` } : PROBLEM;
    const reply: Reply = {
      description: `${group.map((code) => `${allErrors[code].title} (\`${code}\`)`).join('; ')}.`,
      content: {
        [dialect?.contentType ?? 'application/problem+json']: { schema, examples: Object.fromEntries(examples) },
      },
    };
    return [String(status), reply] as const;
  });
  return Object.fromEntries(replies);
}

/** A problem as this operation would send it. */
function exampleOf(document: Document, operation: Operation, code: ErrorCode, detail?: string | null) {
  const { status, title, example } = allErrors[code];
  const fault = code === 'invalid_request' ? exampleFault(document, operation) : undefined;
  const [scope] = scopesOf(operation);
  const scopeDetail = code === 'insufficient_scope' && scope ? `The token lacks the scope ${scope}` : undefined;
  return {
    type: problemType(code),
    title,
    status,
    detail: detail ?? fault?.detail ?? scopeDetail ?? example,
    code,
    request_id: REQUEST_ID,
    ...(fault && { errors: [fault] }),
  };
}

/** A validation error that a request of the operation can get; undefined if it takes no input. */
function exampleFault(document: Document, operation: Operation): { pointer: string; detail: string } | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  const [required] = schema ? (resolve(document, schema).required ?? []) : [];
  if (required !== undefined) return { pointer: `/${required}`, detail: `${required} is required` };
  const limited = operation.parameters?.some(({ name }) => name === 'limit');
  return limited ? { pointer: '/limit', detail: 'limit must be a whole number from 1 to 200' } : undefined;
}
