import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { COMMON_DIRECTIVES, type ReceivedRequest, UpstreamControl } from '../shared/faults/upstream-control';
import { STREAM_DIRECTIVES, streamedMessage } from './streamed-message';
import { promptTokens, REPLY_DIRECTIVES, replyMessage } from './reply-message';
import { type Answer, json, replyWith } from '../shared/answer';
import { Directives } from '../shared/faults/directives';
import { nextId } from '../shared/identifiers';
import { apiError, refuseByDirective, refuseHeaders, versionOf } from './refusals';
import { checkVersionRules, InvalidRequest, lastUserText, type Prompt, readPrompt } from './prompt';

const REFUSALS = ['api-key', 'status', 'retry-after', 'low-balance', 'usage-limit', 'spend-limit'];
const FOR_MESSAGES = [...REFUSALS, ...REPLY_DIRECTIVES, ...STREAM_DIRECTIVES];
const FOR_COUNT = [...REFUSALS, 'tokens'];

/** Directives for `count_tokens` carry this prefix in a request, since both endpoints get the same messages. */
const COUNT_PREFIX = 'count-';

/** Controls of the two endpoints, which are separate. */
interface MessagesControls {
  messages: UpstreamControl;
  countTokens: UpstreamControl;
}

export function messagesControls(recordLimit: number): MessagesControls {
  const inText = [...FOR_MESSAGES, ...[...COMMON_DIRECTIVES, ...FOR_COUNT].map((name) => COUNT_PREFIX + name)];
  return {
    messages: new UpstreamControl(FOR_MESSAGES, recordLimit, inText),
    countTokens: new UpstreamControl(FOR_COUNT, recordLimit, inText),
  };
}

/** The API accepts 32 MB; the limit is a little higher, so that it does not depend on the definition of a megabyte. */
const LARGEST_BODY = 33 * 1024 * 1024;

/** The models that the list names. Messages may name any other one. */
const LISTED_MODELS = [
  { type: 'model', id: 'claude-opus-5', display_name: 'Claude Opus 5', created_at: '2026-06-01T00:00:00Z' },
  { type: 'model', id: 'claude-haiku-4-5', display_name: 'Claude Haiku 4.5', created_at: '2025-10-01T00:00:00Z' },
];

/** `POST /v1/messages`, `POST /v1/messages/count_tokens` and `GET /v1/models`, which has no directives and is not recorded. */
export function messagesApi(app: FastifyInstance, { messages, countTokens }: MessagesControls): void {
  app.post('/v1/messages', { bodyLimit: LARGEST_BODY }, (request, reply) => {
    const received = messages.receive(request);
    serve(received, reply, messages, {
      needsMaxTokens: true,
      directives: (all) => all.without(COUNT_PREFIX),
      reply: (prompt, directives, headers) => {
        const message = replyMessage(prompt, directives);
        return prompt.stream ? streamedMessage(message, directives, headers) : json(200, message, headers);
      },
    });
  });
  app.post('/v1/messages/count_tokens', { bodyLimit: LARGEST_BODY }, (request, reply) => {
    const received = countTokens.receive(request);
    serve(received, reply, countTokens, {
      needsMaxTokens: false,
      directives: (all) => all.scoped(COUNT_PREFIX),
      reply: (prompt, directives, headers) => json(200, { input_tokens: promptTokens(prompt, directives) }, headers),
    });
  });
  app.get<{ Querystring: ModelsQuery }>('/v1/models', ({ headers, query }, reply) => {
    const requestId = nextId('req_');
    return replyWith(reply, refuseHeaders({ headers }, requestId) ?? modelList(query, requestId));
  });
  app.setNotFoundHandler((_request, reply) => replyWith(reply, apiError(404, nextId('req_'), 'Not found')));
  app.setErrorHandler((error: FastifyError, _request, reply) =>
    replyWith(reply, apiError(error.statusCode ?? 500, nextId('req_'), error.message)),
  );
}

interface ModelsQuery {
  limit?: string;
  after_id?: string;
}

function modelList({ limit = '20', after_id: after }: ModelsQuery, requestId: string): Answer {
  const most = Number(limit);
  if (!Number.isInteger(most) || most < 1 || most > 1000)
    return apiError(400, requestId, 'limit: Input should be between 1 and 1000');
  const rest = LISTED_MODELS.slice(LISTED_MODELS.findIndex(({ id }) => id === after) + 1);
  const data = rest.slice(0, most);
  const page = { data, first_id: data[0]?.id, last_id: data.at(-1)?.id, has_more: data.length < rest.length };
  return json(200, page, { 'request-id': requestId });
}

interface Endpoint {
  needsMaxTokens: boolean;
  /** The directives in a text that apply to this endpoint. */
  directives: (all: Directives) => Directives;
  reply: (prompt: Prompt, directives: Directives, headers: Record<string, string>) => Answer;
}

function serve(received: ReceivedRequest, reply: FastifyReply, control: UpstreamControl, endpoint: Endpoint): void {
  const requestId = nextId('req_');
  const prompt = read(received, endpoint.needsMaxTokens);
  control.answer(reply, {
    find: () =>
      prompt instanceof InvalidRequest ? Directives.none : endpoint.directives(control.inText(lastUserText(prompt))),
    respond: (directives) => {
      const refusal = refuseHeaders(received, requestId) ?? refuseByDirective(received, directives, requestId);
      if (refusal) return refusal;
      if (prompt instanceof InvalidRequest) return apiError(400, requestId, prompt.message);
      return endpoint.reply(prompt, directives, { 'request-id': requestId });
    },
    complain: (message) => apiError(400, requestId, message),
  });
}

function read({ body, headers }: ReceivedRequest, needsMaxTokens: boolean): Prompt | InvalidRequest {
  try {
    const prompt = readPrompt(body, needsMaxTokens);
    checkVersionRules(prompt, versionOf(headers) ?? '2023-06-01');
    return prompt;
  } catch (error) {
    if (error instanceof InvalidRequest) return error;
    throw error;
  }
}
