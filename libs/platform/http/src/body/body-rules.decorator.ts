import { SetMetadata } from '@nestjs/common';
import type { AppConfig } from '@platform/config';
import type { JsonHandler, SegmentedBytes } from '@platform/json';

/** Parses a body while it arrives. */
export interface BodyReader<Result> extends JsonHandler {
  /** The result, after the whole body was parsed. @throws ServiceError invalid_request */
  result(bytes: SegmentedBytes): Result;
}

/** How a route's body is parsed. */
export interface BodyRules {
  /** Maximum size in bytes. */
  bytes: number;
  /** Maximum number of objects, arrays and values. */
  values(config: AppConfig): number;
  /** Creates the reader of one body. */
  reader(config: AppConfig): BodyReader<unknown>;
}

const BODY_RULES = 'http:body-rules';

/** Declares that a route's body is parsed by `rules.reader` while it arrives, not as a whole. */
export const ReadBodyBy = (rules: BodyRules) => SetMetadata(BODY_RULES, rules);

const WITHOUT_BODY = 'http:without-body';

/** Declares that a POST takes no body. One that is sent all the same is not read, as that of a GET. */
export const WithoutBody = () => SetMetadata(WITHOUT_BODY, true);

/** Whether a handler takes no body. */
export function takesNoBody(handler: object): boolean {
  return Reflect.getMetadata(WITHOUT_BODY, handler) === true;
}

/** Enough for the longest valid body of any route but AI messages, even if every character is escaped. */
const DEFAULT_BYTES = 256 * 1024;

/** Parses the body as a whole, which takes little time at this size. */
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

/** The rules of a handler's body, from its metadata (cached). */
export function bodyRulesOf(handler: object): BodyRules {
  let rules = declared.get(handler);
  if (!rules) {
    rules = (Reflect.getMetadata(BODY_RULES, handler) as BodyRules | undefined) ?? DEFAULT;
    declared.set(handler, rules);
  }
  return rules;
}
