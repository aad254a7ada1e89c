import { ServiceError, similarName } from '@platform/errors';
import { SDK_FIELDS } from './request-fields';

/** A fault in a part of a request; `pointer` is a JSON pointer (RFC 6901). */
export interface Fault {
  pointer: string;
  detail: string;
}

/** Maximum number of faults in an error. */
const MAX_FAULTS = 20;

/** Collects the faults of a request, in order. */
export class RequestFaults {
  /** JSON pointer to a reference to a file in the operator's workspace. A fault only if there is no other. */
  foreignFile?: string;
  private readonly faults: Fault[] = [];

  add(...faults: Fault[]): void {
    this.faults.push(...faults.slice(0, MAX_FAULTS - this.faults.length));
  }

  /** @throws ServiceError invalid_request if there are faults */
  throwIfAny(): void {
    const { faults, foreignFile } = this;
    if (faults.length === 0 && foreignFile !== undefined)
      faults.push({ pointer: foreignFile, detail: DETAILS.foreignFile });
    if (faults.length === 0) return;
    const detail = faults.map((fault) => fault.detail).join('; ');
    throw new ServiceError('invalid_request', detail, { errors: faults });
  }
}

/** Fields of other interfaces, and the names of their counterparts here. */
const MEANT: Record<string, string | undefined> = { prompt: 'messages', input: 'messages', instructions: 'system' };

/** Details of the faults, by field. */
export const DETAILS = {
  missing: 'messages is required, an array such as [{"role":"user","content":"Hello"}]',
  messages: 'messages must be an array of objects with role and content',
  noMessages: 'messages must have at least one message',
  tooManyMessages: (most: number) => `messages must have at most ${most} messages`,
  message: 'a message must be an object with role and content',
  role: 'role must be user, assistant or system',
  content: 'content must be a string or an array of content blocks',
  emptyContent: 'content must not be empty',
  block: 'a content block must be an object with a type',
  system: 'system must be a string or an array of text blocks',
  systemBlock: 'a block of system must be an object with the type text',
  stream: 'stream must be true or false',
  maxTokens: 'max_tokens must be a whole number of at least 1',
  maxTokensText: 'max_tokens must be a number, not a string: send it without quotes',
  foreignFile: 'files uploaded to the AI provider cannot be referred to; send the content itself',
  twice: (name: string) => `${name} is given twice`,
  unpriced: (name: string) => `${name} is not available here; leave it out`,
  beta: (name: string) => `${name} belongs to a beta of the AI provider, which is not available here; leave it out`,
  unknown: (name: string) => {
    const meant = MEANT[name] ?? similarName(name, SDK_FIELDS.known);
    return `${name} is not known here; ${meant === undefined ? 'leave it out' : `did you mean ${meant}?`}`;
  },
  elsewhere: (name: string) => `${name} does not work here; send the request to POST /ai/v1/messages`,
  tools: 'tools must be an array of objects',
  toolType: (type: string) => `tools of the type ${type} are not available here; leave them out`,
  toolBeta: (type: string) =>
    `tools of the type ${type} belong to a beta of the AI provider, which is not available here`,
  toolUnknown: 'this type of tool is not known here',
  callers: 'only direct is available here',
  serviceTier: 'service_tier must be auto or standard_only; others are not available here',
} as const;
