import { Injectable, NotFoundException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { API_PREFIX } from '@platform/config';
import { ServiceError, similarName } from '@platform/errors';

const PREFIX = `/${API_PREFIX}`;
/** Longer paths are not compared, to limit the cost. */
const LONGEST = 200;

const EITHER = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** A route of the router. */
export interface Route {
  method: string;
  /** Its address, with `:name` for a parameter. */
  url: string;
  /** Matches the path of a request to it. */
  pattern: RegExp;
}

const known = new WeakMap<FastifyInstance, Route[]>();

/** Collects the routes that are added to a server from now on. */
export function collectRoutes(server: FastifyInstance): void {
  const routes: Route[] = [];
  known.set(server, routes);
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/[.+?^${}()|[\]\\*]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`);
    for (const name of [method].flat()) routes.push({ method: name, url, pattern });
  });
}

/** The collected routes. */
export function routesOf(server: FastifyInstance): readonly Route[] {
  return known.get(server) ?? [];
}

/** Replaces an address that cannot be decoded, so that such a request passes all hooks too. No client can send it. */
export const UNREADABLE_ADDRESS = '/\0';

/** Whether an address's path has a valid percent encoding. */
export function isReadable(url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return !path.includes('%') || decodedPath(path) !== undefined;
}

/** The decoded path; undefined for an invalid percent encoding. */
export function decodedPath(path: string): string | undefined {
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}

const hints = new WeakMap<FastifyInstance, AddressHint[]>();

/** What to say of unknown addresses that need another answer than a similar one. */
export interface AddressHint {
  path: RegExp;
  detail: string;
}

/** Sets the hints of a server; the first that fits an unknown address is given. */
export function setAddressHints(server: FastifyInstance, list: AddressHint[]): void {
  hints.set(server, list);
}

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
    return new ServiceError('method_not_allowed', `Use ${EITHER.format(allowed)} here`);
  }

  private documentationHint(request: FastifyRequest): string {
    const known = hints.get(request.server)?.find(({ path }) => path.test(pathOf(request)));
    if (known) return known.detail;
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

/** The known address that an unknown one probably meant: another spelling of it, or one with the same end. */
export function similarAddress(path: string, routes: readonly Route[]): string | undefined {
  if (path.length > LONGEST || /^(\/api)?(\/v\d+)?\/?$/.test(path)) return undefined;
  const known = routes.filter(({ url }) => url.startsWith(`${PREFIX}/`));
  const exists = (address: string) => known.some(({ pattern }) => pattern.test(address));
  const plain = `/${path.toLowerCase().split('/').filter(Boolean).join('/')}`;
  const below = plain.replace(/^(\/api)?(\/v\d+)?(\/api\/v\d+)*(?=\/)/, '');
  const spelling = [plain, `${PREFIX}${below}`].find(exists);
  if (spelling !== undefined) return spelling;
  // Only addresses without ids, so that no id can be in the wrong place.
  const fixed = known.map(({ url }) => url).filter((url) => !url.includes(':'));
  const wanted = below.replace(/^.*\//, '');
  if (wanted === '') return undefined;
  return (
    fixed.find((url) => url.endsWith(below)) ??
    fixed.find((url) => similarName(below, [url.slice(PREFIX.length)]) !== undefined) ??
    fixed.find((url) => url.slice(PREFIX.length).split('/').includes(wanted))
  );
}
