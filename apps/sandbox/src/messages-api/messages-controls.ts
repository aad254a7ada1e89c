import { COMMON_DIRECTIVES, UpstreamControl } from '../shared/faults/upstream-control';
import { STREAM_DIRECTIVES } from './stream/stream-script';
import { REPLY_DIRECTIVES } from './reply/reply-message';

const REFUSALS = ['api-key', 'status', 'retry-after', 'low-balance', 'spend-limit'];
const FOR_MESSAGES = [...REFUSALS, ...REPLY_DIRECTIVES, ...STREAM_DIRECTIVES];
const FOR_COUNT = [...REFUSALS, 'tokens'];

/** Directives for `count_tokens` carry this prefix in a request, since both endpoints get the same messages. */
export const COUNT_PREFIX = 'count-';

/** Controls of the two endpoints, which are separate. */
export interface MessagesControls {
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
