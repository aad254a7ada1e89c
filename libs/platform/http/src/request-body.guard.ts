import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { pointerSegment, ServiceError } from '@platform/errors';
import { TimeShares } from '@platform/fairness';
import {
  JsonFault,
  type JsonFaultKind,
  type JsonPlace,
  type JsonToken,
  JsonTokenizer,
  SegmentedBytes,
} from '@platform/json';
import { BODY_BYTES, type BodyLease, BodyMemory, BodyPieces, TurnBudget } from './body-limits';
import { partyOf } from './connections';
import { ReplyMemory } from './unread-replies';
import { type BodyReader, type BodyRules, ReadBodyBy, rulesOf } from './route-rules';
import { discardUnread, hasBody, isCutOff, LATE, takesBody } from './unread-bodies';
import { addIgnored, rememberReply } from './validation-pipe';

/** Pieces below this size are parsed without measuring the time: that would take longer. */
const SMALL_BYTES = 4096;

/** What a piece of a body costs apart from its content, in milliseconds. */
const PIECE_MS = 0.005;

/** Bytes of a line whose characters are counted; in a longer one the column is that of the byte. */
const LONGEST_LINE = 16_384;

const TOO_MANY_PIECES =
  'The body comes in too many small chunks: send it with a Content-Length, or in chunks of some kilobytes';
/** Detail of the error for a missing body. */
const NO_BODY = 'The request has no body; send a JSON object, with the header Content-Type: application/json';
/** JSON has no parameters. Some clients send their own, which say nothing of the bytes; a character set other than UTF-8 does. */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*|;(?!\s*charset\s*=)[^;,]*)*$/i;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const HOW_TO_SEND = 'Send the body as application/json in UTF-8';

const JSON_FAULTS: Record<Exclude<JsonFaultKind, 'too_many_values'>, string> = {
  not_utf8: 'The body is not UTF-8',
  syntax: 'The body is not valid JSON',
  not_an_object: 'The body must be a JSON object',
  too_deep: 'The body is nested too deeply',
};

/** An open object or array. */
interface OpenValue {
  /** The names of an object's members. */
  names?: Set<string>;
  /** The current member or item. */
  at: string | number;
}

/**
 * Parses the body as a whole, which takes little time at this size. Before, the names are read: of a member that is given twice
 * JSON.parse takes the last one, and the caller may mean the other.
 */
class WholeBody implements BodyReader<unknown> {
  private readonly within: OpenValue[] = [];
  /** The first. To describe each would take 40 ms for 100 of them in 90 nested objects with long names. */
  private twice?: { pointer: string; detail: string };

  open(kind: 'object' | 'array'): void {
    this.countItem();
    this.within.push(kind === 'object' ? { names: new Set(), at: '' } : { at: -1 });
  }

  close(): void {
    this.within.pop();
  }

  key(token: JsonToken): void {
    const name = token.text();
    const object = this.within.at(-1);
    // The longest name of a field is much shorter.
    if (name === undefined || !object?.names) return;
    object.at = name;
    if (object.names.has(name)) this.twice ??= { pointer: this.pointer(), detail: `${name} is given twice` };
    object.names.add(name);
  }

  scalar(): void {
    this.countItem();
  }

  result(bytes: SegmentedBytes): unknown {
    const { twice } = this;
    if (twice) throw new ServiceError('invalid_request', twice.detail, { errors: [twice] });
    return JSON.parse(bytes.joined().toString());
  }

  private countItem(): void {
    const outer = this.within.at(-1);
    if (typeof outer?.at === 'number') outer.at++;
  }

  private pointer(): string {
    return this.within.map(({ at }) => pointerSegment(at)).join('');
  }
}

const DEFAULT: BodyRules = {
  bytes: BODY_BYTES.usual,
  values: ({ BODY_MAX_VALUES }) => BODY_MAX_VALUES,
  reader: () => new WholeBody(),
};

/** Declares that a route's body is small, such as one that is read before anything is known of its caller. */
export const WithSmallBody = () => ReadBodyBy({ ...DEFAULT, bytes: BODY_BYTES.small });

/** A request whose body was read. */
export interface RequestWithBody<Body = unknown> extends FastifyRequest {
  /** The result of the route's reader; by default the parsed JSON. */
  body: Body;
  /** The body's bytes; none of a route that takes no body. */
  rawBody: SegmentedBytes;
  /** The memory of the body; released when the request ends. */
  bodyLease?: BodyLease;
  /** The time that the request waited for its body, in milliseconds. */
  bodyWaitMs?: number;
}

/**
 * Reads the JSON body, behind the guards that decide on the caller: one without a token, without the scope or over a limit is refused
 * before its body is read, and cannot make the service keep it in memory. It is a guard because an interceptor would cost time
 * on every request, also on those without a body.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(
    private readonly config: AppConfig,
    private readonly memory: BodyMemory,
    private readonly turns: TurnBudget,
    private readonly replies: ReplyMemory,
    private readonly shares: TimeShares,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.getArgByIndex<RequestWithBody>(0);
    const reply = context.getArgByIndex<FastifyReply>(1);
    if (request.customer) this.replies.admit(request.customer.customerId);
    if (!takesBody(request.method)) {
      if (request.url.includes('?')) rememberReply(request.query, reply);
      return true;
    }
    const { body: rules = DEFAULT, key } = rulesOf(context);
    if (rules === 'none') {
      request.rawBody = new SegmentedBytes();
      const asked = performance.now();
      const whole = () => {
        request.bodyWaitMs = performance.now() - asked;
        return assertWhole(request.raw);
      };
      return discardUnread(request.raw, reply.raw)?.then(whole) ?? true;
    }
    // A reply that is kept under the request's key comes before the refusal.
    if (key === 'ignored' || request.headers['idempotency-key'] === undefined) rules.admit?.(request);
    assertJsonBody(request.headers);
    return this.read(request, rules, reply);
  }

  private async read(request: RequestWithBody, rules: BodyRules, reply: FastifyReply): Promise<boolean> {
    const lease = this.memory.lease(partyOf(request));
    // From here on, as its release may come before the last piece is accepted: a piece waits for its turn.
    request.bodyLease = lease;
    const values = rules.values(this.config);
    const reader = rules.reader(this.config);
    const tokenizer = new JsonTokenizer({ depth: this.config.BODY_MAX_DEPTH, values }, reader);
    const length = request.headers['content-length'];
    const bytes = new SegmentedBytes(length === undefined ? undefined : Number(length));
    let spentMs = 0;
    let ignored: readonly string[] | undefined;
    const asked = performance.now();
    try {
      const within = { limit: rules.bytes, turns: this.turns, party: partyOf(request) };
      await readBody(request.raw, within, (piece) => {
        const begun = performance.now();
        lease.take(piece.length);
        bytes.add(piece);
        tokenizer.write(piece);
        spentMs += PIECE_MS + performance.now() - begun;
      });
      request.bodyWaitMs = performance.now() - asked;
      if (bytes.length === 0) throw invalidBody(NO_BODY);
      const begun = performance.now();
      tokenizer.finish();
      request.body = reader.result(bytes);
      spentMs += performance.now() - begun;
    } catch (error) {
      lease.release();
      throw explainBodyFault(error, values, bytes);
    } finally {
      this.shares.charge(partyOf(request), spentMs);
      // Of a body that is refused, too: the name of a field may be its only fault.
      ({ ignored } = reader);
      if (ignored) addIgnored(reply, ignored);
    }
    request.rawBody = bytes;
    if (!ignored) rememberReply(request.body, reply);
    return true;
  }
}

/** Refuses a request that never became whole, although its body is not read. @throws ServiceError */
function assertWhole(request: IncomingMessage): true {
  if (isCutOff(request)) throw cutOff();
  return true;
}

/** Refuses a request whose headers announce no body, or one that is not JSON. @throws ServiceError */
function assertJsonBody(headers: IncomingHttpHeaders): void {
  if (!hasBody(headers)) throw invalidBody(NO_BODY);
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding !== '' && encoding !== 'identity')
    throw new ServiceError('unsupported_media_type', 'Send the body uncompressed: Content-Encoding is not supported');
  const type = headers['content-type']?.trim() ?? '';
  if (!JSON_TYPE.test(type)) throw new ServiceError('unsupported_media_type', adviceFor(type));
}

function adviceFor(type: string): string {
  if (type === '') return `${HOW_TO_SEND}; the header Content-Type is missing`;
  if (/^application\/json\s*;.*charset/i.test(type))
    return `${HOW_TO_SEND}; the header Content-Type names another charset`;
  return /^application\/x-www-form-urlencoded/i.test(type)
    ? `${HOW_TO_SEND}; it was sent as a form, which is the default of curl -d: add the header Content-Type: application/json`
    : HOW_TO_SEND;
}

/**
 * Passes on a request's body chunk by chunk while it arrives.
 * @param take parses a chunk; an error that it throws ends the body
 * @throws ServiceError payload_too_large, request_timeout, invalid_request if the body ends early or comes in too many pieces, and the
 * errors of `take`
 */
export function readBody(
  request: IncomingMessage,
  { limit, turns, party }: { limit: number; turns: TurnBudget; party: string },
  take: (piece: Buffer) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let size = 0;
    const pieces = new BodyPieces();
    let ended = false;
    let waiting = false;
    let settled = false;
    const settle = (error?: Error) => {
      settled = true;
      request.off('data', onData).off('end', onEnd).off('error', onAbort).off('close', onAbort).off(LATE, onLate);
      if (!error) return resolve();
      // The error reply decides whether the rest is discarded.
      request.pause();
      reject(error);
    };
    const accept = (piece: Buffer) => {
      try {
        take(piece);
      } catch (error) {
        settle(error as Error);
      }
    };
    const acceptLater = (piece: Buffer) => {
      waiting = true;
      request.pause();
      turns.later(party, () => {
        waiting = false;
        // The client may have disconnected meanwhile.
        if (!settled) accept(piece);
        if (settled) return;
        if (ended) settle();
        else request.resume();
      });
    };
    const onData = (piece: Buffer) => {
      size += piece.length;
      if (size > limit) settle(tooLarge(limit));
      else if (pieces.add(piece.length)) settle(new ServiceError('invalid_request', TOO_MANY_PIECES));
      else if (turns.spent) acceptLater(piece);
      else if (piece.length >= SMALL_BYTES) turns.run(() => accept(piece));
      else {
        turns.countSmall();
        accept(piece);
      }
    };
    // A stream that is paused at its last chunk emits 'end' all the same.
    const onEnd = () => {
      ended = true;
      request.off('error', onAbort).off('close', onAbort);
      if (!waiting) settle();
    };
    const onAbort = () => settle(cutOff());
    const onLate = () => settle(new ServiceError('request_timeout', 'The request did not arrive in time'));
    if (Number(request.headers['content-length'] ?? 0) > limit) return reject(tooLarge(limit));
    request.on('data', onData).once('end', onEnd).once('error', onAbort).once('close', onAbort).once(LATE, onLate);
  });
}

function cutOff(): ServiceError {
  return new ServiceError('invalid_request', 'The body ended before it was complete');
}

function tooLarge(limit: number): ServiceError {
  return new ServiceError('payload_too_large', `The body may have ${limit} bytes at most`);
}

/** Converts a fault of the JSON to an error for the caller; other errors are returned unchanged. */
function explainBodyFault(error: unknown, mostValues: number, bytes: SegmentedBytes): unknown {
  if (!(error instanceof JsonFault)) return error;
  if (error.kind === 'too_many_values')
    return new ServiceError(
      'payload_too_large',
      `The body may consist of ${mostValues} objects, arrays and values at most`,
    );
  const where = error.place ? `: ${placeOf(error.place, bytes)}` : '';
  return invalidBody(`${JSON_FAULTS[error.kind]}${where}`);
}

/** The line and the column of a fault, as editors count them. */
function placeOf({ offset, line, lineStart }: JsonPlace, bytes: SegmentedBytes): string {
  // Nobody sees it, and a program that reads the text takes it away.
  if (offset === 0 && BYTE_ORDER_MARK.equals(Buffer.concat(bytes.slice(0, BYTE_ORDER_MARK.length))))
    return 'it begins with a byte order mark; send it without';
  const before = offset - lineStart;
  const column = before > LONGEST_LINE ? before : [...Buffer.concat(bytes.slice(lineStart, offset)).toString()].length;
  return `${offset < bytes.length ? 'see' : 'it ends too early, at'} line ${line}, column ${column + 1}`;
}

/** The error for a body that is not a JSON object. */
function invalidBody(detail: string): ServiceError {
  return new ServiceError('invalid_request', detail, { errors: [{ pointer: '', detail }] });
}
