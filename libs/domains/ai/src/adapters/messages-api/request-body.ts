import type { UpstreamCall } from '../../ports/ai-upstream.port';

const SYSTEM = Buffer.from(',"system":');
const MESSAGES = Buffer.from(',"messages":');
const STREAM = Buffer.from(',"stream":true');
const END = Buffer.from('}');
/** What decides how many tokens a request has; the provider takes nothing else where it counts them. */
const COUNTED = new Set(['cache_control', 'output_config', 'thinking', 'tool_choice', 'tools']);

/** A request's JSON. The caller's own parts are inserted unparsed and uncopied, because a call may take minutes. */
export function bodyOf(call: UpstreamCall & { maxTokens?: number; stream?: true }): Buffer[] {
  const { model, maxTokens, system, messages, options, stream } = call;
  const head = `{"model":${JSON.stringify(model)}${maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`}`;
  return [
    Buffer.from(head),
    ...(stream ? [STREAM] : []),
    // Names are those of our own lists.
    ...options.flatMap(({ name, json }) => [Buffer.from(`,"${name}":`), ...json]),
    ...(system ? [SYSTEM, ...system] : []),
    MESSAGES,
    ...messages,
    END,
  ];
}

/** The JSON of a request to count tokens. */
export function countBodyOf(call: UpstreamCall): Buffer[] {
  return bodyOf({ ...call, options: call.options.filter(({ name }) => COUNTED.has(name)) });
}
