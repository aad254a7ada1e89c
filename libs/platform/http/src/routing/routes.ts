import type { FastifyInstance } from 'fastify';

/** A route as the router knows it. */
export interface Route {
  method: string;
  /** Its address, with `:name` for a parameter. */
  url: string;
  /** Matches the path of a request to it. */
  pattern: RegExp;
}

const known = new WeakMap<FastifyInstance, Route[]>();

/** Writes down the routes that will be added to a server. */
export function collectRoutes(server: FastifyInstance): void {
  const routes: Route[] = [];
  known.set(server, routes);
  server.addHook('onRoute', ({ method, url }) => {
    const pattern = new RegExp(`^${url.replace(/[.+?^${}()|[\]\\*]/g, '\\$&').replace(/:[^/]+/g, '[^/]+')}$`);
    for (const name of [method].flat()) routes.push({ method: name, url, pattern });
  });
}

/** The routes that were added. */
export function routesOf(server: FastifyInstance): readonly Route[] {
  return known.get(server) ?? [];
}
