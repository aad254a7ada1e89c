import type { FastifyInstance } from 'fastify';

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
