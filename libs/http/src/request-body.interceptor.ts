import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { parseJson } from './parse-json';
import { readBody } from './read-body';
import { ServiceError } from '@app/errors';

const BODY_LIMIT = 'http:body-limit';
/** Room for the longest valid body of any route but AI messages, even if every character of it is escaped. */
const DEFAULT_LIMIT = 256 * 1024;

/** Sets the most bytes that a route's body may have. */
export const BodyLimit = (bytes: number) => SetMetadata(BODY_LIMIT, bytes);

/** A request whose body was read. */
export interface RequestWithBody extends FastifyRequest {
  /** The body's bytes as they came. */
  rawBody: Buffer;
}

/**
 * Reads the JSON body once the guards have let the caller in: a caller without a token, a scope or a request left is
 * told so before its body is looked at, and cannot make the service hold it in memory.
 */
@Injectable()
export class RequestBodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<RequestWithBody>();
    if (request.method !== 'POST') return next.handle();
    if (!isJson(request.headers['content-type'])) {
      throw new ServiceError('unsupported_media_type', 'Send the body as application/json in UTF-8');
    }
    const limit = this.reflector.get<number | undefined>(BODY_LIMIT, context.getHandler()) ?? DEFAULT_LIMIT;
    request.rawBody = await readBody(request.raw, limit);
    request.body = parseJson(request.rawBody);
    return next.handle();
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*(charset\s*=\s*"?utf-?8"?\s*)?)*$/i.test(contentType?.trim() ?? '');
}
