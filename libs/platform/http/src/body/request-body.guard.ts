import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '@platform/config';
import { JsonTokenizer, SegmentedBytes } from '@platform/json';
import { explainBodyFault, invalidBody } from './body-faults';
import { assertJsonBody, NO_BODY } from './assert-json-body';
import { type BodyLease, BodyMemory } from './body-memory';
import { type BodyRules, bodyRulesOf, takesNoBody } from './body-rules.decorator';
import { readBody } from './read-body';
import { TurnBudget } from './turn-budget';

/** A request whose body was read. */
export interface RequestWithBody<Body = unknown> extends FastifyRequest {
  /** The result of the route's reader; by default the parsed JSON. */
  body: Body;
  /** The body's bytes; none of a route that takes no body. */
  rawBody: SegmentedBytes;
  /** The memory of the body; released when the request ends. */
  bodyLease?: BodyLease;
}

/**
 * Reads the JSON body, as the last guard: a caller without a token, without the scope or over a limit is refused before
 * its body is read, and cannot make the service keep it in memory. It is a guard because an interceptor would cost time
 * on every request, also on those without a body.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(
    private readonly config: AppConfig,
    private readonly memory: BodyMemory,
    private readonly turns: TurnBudget,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithBody>();
    if (request.method !== 'POST') return true;
    const handler = context.getHandler();
    if (takesNoBody(handler)) {
      request.rawBody = new SegmentedBytes();
      return true;
    }
    assertJsonBody(request.headers);
    return this.read(request, bodyRulesOf(handler));
  }

  private async read(request: RequestWithBody, rules: BodyRules): Promise<boolean> {
    const lease = this.memory.lease(request.customer?.customerId ?? '');
    const values = rules.values(this.config);
    const reader = rules.reader(this.config);
    const tokenizer = new JsonTokenizer({ depth: this.config.BODY_MAX_DEPTH, values }, reader);
    const bytes = new SegmentedBytes(lengthOf(request));
    try {
      await readBody(request.raw, rules.bytes, this.turns, (piece) => {
        lease.take(piece.length);
        tokenizer.write(piece);
        bytes.add(piece);
      });
      if (bytes.length === 0) throw invalidBody(NO_BODY);
      tokenizer.finish();
      request.body = reader.result(bytes);
    } catch (error) {
      lease.release();
      throw explainBodyFault(error, values);
    }
    request.rawBody = bytes;
    request.bodyLease = lease;
    return true;
  }
}

function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
