import { KEY_MAX } from '../idempotency/idempotency-key';
import { WITHOUT_EFFECT_MARK } from '../idempotency/without-effect.decorator';
import { type Document, type Operation, type Parameter, postsOf } from './document';
import { PROBLEM_PREFIX } from './problems/declared-problems';

const KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry: a key of your own for each new request, such as a UUID, and the same key for its ' +
    'retries. The request has its effect once; a retry within 24 hours gets the reply of the first try, byte for byte, ' +
    'with `Idempotency-Replayed: true`. A reply that says that nothing was done leaves the key free.',
  schema: { type: 'string', minLength: 1, maxLength: KEY_MAX, pattern: '^[\\x20-\\x7e]+$' },
  example: '5f0c1d9e-7d2a-4f0e-9a51-0f9f3c2f8a11',
};
const PROBLEMS = ['idempotency_key_in_progress', 'idempotency_key_reused', 'idempotency_reply_not_kept'];

/** Adds the header Idempotency-Key to every POST that has an effect, and its errors. */
export function describeIdempotency(document: Document): void {
  for (const operation of postsOf(document)) {
    if (Reflect.has(operation, WITHOUT_EFFECT_MARK)) {
      Reflect.deleteProperty(operation, WITHOUT_EFFECT_MARK);
      continue;
    }
    operation.parameters = [...(operation.parameters ?? []), KEY];
    Object.assign(operation, Object.fromEntries(PROBLEMS.map((code) => [`${PROBLEM_PREFIX}${code}`, null])));
  }
}

/** Whether an operation takes the header. */
export function isRetriable({ parameters = [] }: Operation): boolean {
  return parameters.includes(KEY);
}
