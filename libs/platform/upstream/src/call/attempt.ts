import type { Dispatcher } from 'undici';
import { traceHeaders } from '@platform/tracing';
import { UpstreamCallError } from '../upstream-call-error';
import type { UpstreamOptions, UpstreamRequest } from '../upstream-options';
import type { ByteLease } from '../wire/byte-budget';
import { exchange } from '../wire/exchange';
import { onTheWire } from '../wire/request-body';
import { isRedirect, type Target, type Targets } from '../wire/target';
import { UpstreamReply } from '../wire/upstream-reply';
import { BodyReader, type Fail } from './body-reader';
import type { BodyStream } from './body-stream';
import type { CallInProgress } from './call-in-progress';

/** Context of an attempt. */
export interface AttemptContext {
  options: UpstreamOptions;
  dispatcher: Dispatcher;
  targets: Targets;
  call: CallInProgress;
  lease: ByteLease;
  /** Receives the body of a 2xx reply as it arrives; if undefined, bodies are read into memory. */
  stream?: BodyStream;
}

/**
 * One attempt: the request, and the redirects that are followed. @returns the reply; with an empty body if that went
 * into the stream @throws UpstreamCallError
 */
export async function attempt(request: UpstreamRequest, context: AttemptContext): Promise<UpstreamReply> {
  const { operation } = request;
  const upstream = context.options.name;
  const fail: Fail = (reason, code) =>
    new UpstreamCallError({ upstream, operation, reason, code, sent: context.call.sent });
  let target = context.targets.of(request);
  for (let hop = 1; target; hop++) {
    const reply = await follow(request, target, context, fail);
    if (reply.status < 300 || reply.status >= 400) return reply;
    const mayFollow = request.method === 'GET' && isRedirect(reply.status);
    target = mayFollow ? context.targets.next(target, reply.headers.location, hop) : undefined;
    if (!target) throw fail('redirect', String(reply.status));
  }
  throw fail('redirect', 'INSECURE');
}

async function follow(
  request: UpstreamRequest,
  { origin, path, headers }: Target,
  context: AttemptContext,
  fail: Fail,
): Promise<UpstreamReply> {
  const { options, dispatcher, call } = context;
  const { method, operation } = request;
  const wire = onTheWire(request.body);
  const reader = new BodyReader(request.maxReplyBytes ?? options.maxReplyBytes, context, fail);
  await exchange(
    dispatcher,
    {
      origin,
      path,
      method,
      body: wire.body,
      headers: { ...headers, ...wire.headers, ...traceHeaders() },
    },
    {
      sent: () => (call.sent = true),
      head: (status, received, flow) => {
        call.answered(status);
        reader.begin({ status, headers: received }, call.observed(flow));
      },
      data: (chunk) => reader.add(chunk),
    },
    { interrupt: call, toError: ({ reason, code }) => fail(reason, code) },
  );
  const { head, bytes } = reader.take();
  return new UpstreamReply({ upstream: options.name, operation }, head.status, head.headers, bytes);
}
