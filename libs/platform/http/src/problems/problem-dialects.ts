import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Problem } from './problem';

/** Adds to a problem what the clients of some addresses also look for. Problem details allow further members. */
export type ProblemDialect = (problem: Problem) => Problem;

const known = new WeakMap<FastifyInstance, { prefix: string; dialect: ProblemDialect }[]>();

/** Sets the dialect of all problems at addresses that begin with `prefix`, unknown ones included. */
export function addProblemDialect(server: FastifyInstance, prefix: string, dialect: ProblemDialect): void {
  known.set(server, [...(known.get(server) ?? []), { prefix, dialect }]);
}

/** A problem as the clients of the request's address understand it. */
export function inDialect(request: FastifyRequest, problem: Problem): Problem {
  const found = known.get(request.server)?.find(({ prefix }) => request.url.startsWith(prefix));
  return found ? found.dialect(problem) : problem;
}
