import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { until } from './until';

/** A delivery that arrived. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The event in it. */
  event: { id: string; type: string; created_at: string; data: Record<string, unknown> };
  /** In terms of `performance.now()`. */
  at: number;
}

/** Answers a delivery; default 204. */
export type ReceiverAnswer = (reply: ServerResponse, received: Received) => void;

/** A customer's system that receives webhooks. */
export interface WebhookReceiver {
  /** `http://127.0.0.1:port`. */
  url: string;
  /** What arrived, in this order. */
  received: Received[];
  /** What arrived at a path. */
  at(path: string): Received[];
  /** Sets the answer for a path; undefined for the usual one. */
  answer(path: string, answer: ReceiverAnswer | undefined): void;
  /** Waits until so many deliveries arrived at a path. @returns them */
  until(path: string, count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** Starts a receiver on this machine. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const answers = new Map<string, ReceiverAnswer>();
  const server = createServer((request, reply) => {
    void buffer(request).then(
      (bytes) => {
        const body = bytes.toString();
        const event = JSON.parse(body) as Received['event'];
        const path = request.url ?? '';
        const one = { path, headers: request.headers, body, event, at: performance.now() };
        received.push(one);
        const answer = answers.get(path);
        if (answer) answer(reply, one);
        else reply.writeHead(204).end();
      },
      () => undefined,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    at,
    answer: (path, answer) => void (answer ? answers.set(path, answer) : answers.delete(path)),
    async until(path, count) {
      await until(() => at(path).length >= count);
      return at(path);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
