import { Injectable, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServiceError } from '@platform/errors';
import { decodedPath, UNREADABLE_ADDRESS } from './readable-address';
import { type Route, routesOf } from './routes';
import { similarAddress } from './similar-address';

/** Distinguishes an unknown address from one that exists with other methods. */
@Injectable()
export class AllowedMethods {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  /** The methods that the request's address supports. */
  at(request: FastifyRequest): string[] {
    const path = pathOf(request);
    return [
      ...new Set(
        this.routes()
          .filter(({ pattern }) => pattern.test(path))
          .map(({ method }) => method),
      ),
    ];
  }

  /** Converts Nest's error for a wrong method or encoding, which it reports as an unknown address. */
  explain(request: FastifyRequest, error: unknown): unknown {
    if (!(error instanceof NotFoundException)) return error;
    if (request.url === UNREADABLE_ADDRESS) {
      return new ServiceError('invalid_request', 'The address has an invalid percent encoding');
    }
    const allowed = this.at(request);
    if (allowed.length === 0) return new ServiceError('not_found', this.documentationHint(request));
    return new ServiceError('method_not_allowed', `Use ${allowed.join(' or ')} here`);
  }

  private documentationHint(request: FastifyRequest): string {
    const similar = similarAddress(pathOf(request), this.routes());
    return similar === undefined
      ? 'There is nothing at this address; /docs lists the operations'
      : `There is nothing at this address; did you mean ${encodeURI(similar)}?`;
  }

  private routes(): readonly Route[] {
    return routesOf(this.adapterHost.httpAdapter.getInstance<FastifyInstance>());
  }
}

function pathOf({ url }: FastifyRequest): string {
  return decodedPath(url.split('?', 1)[0] ?? '') ?? '';
}
