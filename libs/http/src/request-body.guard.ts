import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
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
 * Reads the JSON body, as the last guard: a caller without a token, a scope or a request left is told so before its body
 * is looked at, and cannot make the service hold it in memory. A guard and not an interceptor because interceptors cost
 * every request, also those without a body.
 */
@Injectable()
export class RequestBodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithBody>();
    if (request.method !== 'POST') return true;
    if (!isJson(request.headers['content-type'])) {
      throw new ServiceError('unsupported_media_type', 'Send the body as application/json in UTF-8');
    }
    const limit = this.reflector.get<number | undefined>(BODY_LIMIT, context.getHandler()) ?? DEFAULT_LIMIT;
    return this.read(request, limit);
  }

  private async read(request: RequestWithBody, limit: number): Promise<boolean> {
    request.rawBody = await readBody(request.raw, limit);
    request.body = parseJson(request.rawBody);
    return true;
  }
}

function isJson(contentType: string | undefined): boolean {
  return /^application\/json\s*(;\s*(charset\s*=\s*"?utf-?8"?\s*)?)*$/i.test(contentType?.trim() ?? '');
}
