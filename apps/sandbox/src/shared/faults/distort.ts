import { type Answer, htmlPage, json } from '../answer';
import { type Directives } from './directives';

/** Directives of every upstream that replace or corrupt the content of its reply. */
export const DISTORTIONS = ['not-json', 'not-json-error', 'empty', 'truncated', 'wrong-shape'] as const;

/** The reply after the directives. */
export function distort(answer: Answer, directives: Directives): Answer {
  if (directives.isEmpty) return answer;
  const raw = directives.rawReply;
  if (raw) {
    const status = raw.status ?? 200;
    if (typeof raw.body === 'string' || Buffer.isBuffer(raw.body)) {
      return { status, headers: { 'content-type': 'application/json', ...raw.headers }, body: raw.body };
    }
    return json(status, raw.body, raw.headers);
  }
  if (directives.has('not-json')) return htmlPage(200);
  if (directives.has('not-json-error')) return htmlPage(directives.number('not-json-error') ?? 502);
  if (directives.has('empty')) return { ...answer, body: '', stream: undefined };
  if (directives.has('truncated')) return { ...answer, body: firstHalf(answer.body), stream: undefined };
  if (directives.has('wrong-shape')) return { ...answer, body: '{"unexpected":true}', stream: undefined };
  return answer;
}

export function firstHalf(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
}
