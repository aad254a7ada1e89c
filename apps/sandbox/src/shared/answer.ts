import type { FastifyReply } from 'fastify';

/** A complete reply. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Set if the body comes in pieces; `body` has all of them, for the faults that change it. */
  stream?: StreamScript | undefined;
}

/** A body that comes event by event. */
export interface StreamScript {
  events: string[];
  /** Milliseconds after each event. */
  pauseMs: number;
  /** After the last event the reply ends, its connection is cut, or nothing happens any more. */
  ending: 'end' | 'cut' | 'hang';
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

export function plainText(status: number, body: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** A reply of a failing proxy in front of the upstream. */
export function htmlPage(status: number): Answer {
  return {
    status,
    headers: { 'content-type': 'text/html' },
    body: `<html><head><title>${status}</title></head><body>The proxy of the sandbox says ${status}</body></html>`,
  };
}

/** Sends a reply unchanged by directives. */
export function replyWith(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}
