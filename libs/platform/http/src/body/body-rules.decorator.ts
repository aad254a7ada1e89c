import { SetMetadata } from '@nestjs/common';
import type { AppConfig } from '@platform/config';
import type { JsonHandler, SegmentedBytes } from '@platform/json';

/** Makes a request of a body while it arrives. */
export interface BodyReader<Result> extends JsonHandler {
  /** What the body says, once all of it has been read. @throws ServiceError invalid_request */
  result(bytes: SegmentedBytes): Result;
}

/** How a route's body is read. */
export interface BodyRules {
  /** The most bytes that it may have. */
  bytes: number;
  /** The most objects, arrays and values that it may consist of. */
  values(config: AppConfig): number;
  /** Reads one body. */
  reader(config: AppConfig): BodyReader<unknown>;
}

const BODY_RULES = 'http:body-rules';

/** Declares that a route's body is not parsed as a whole, but read by `rules.reader` while it arrives. */
export const ReadBodyBy = (rules: BodyRules) => SetMetadata(BODY_RULES, rules);

/** Room for the longest valid body of any route but AI messages, even if every character of it is escaped. */
const DEFAULT_BYTES = 256 * 1024;

/** Parses the whole body: at this size that takes no time worth sharing. */
class WholeBody implements BodyReader<unknown> {
  open(): void {
    // The text is parsed when it is complete.
  }
  close(): void {
    // Likewise.
  }
  key(): void {
    // Likewise.
  }
  scalar(): void {
    // Likewise.
  }
  result(bytes: SegmentedBytes): unknown {
    return JSON.parse(bytes.joined().toString());
  }
}

const DEFAULT: BodyRules = {
  bytes: DEFAULT_BYTES,
  values: ({ BODY_MAX_VALUES }) => BODY_MAX_VALUES,
  reader: () => new WholeBody(),
};

const declared = new WeakMap<object, BodyRules>();

/** The rules of a handler's body. Looked up once. */
export function bodyRulesOf(handler: object): BodyRules {
  let rules = declared.get(handler);
  if (!rules) {
    rules = (Reflect.getMetadata(BODY_RULES, handler) as BodyRules | undefined) ?? DEFAULT;
    declared.set(handler, rules);
  }
  return rules;
}
