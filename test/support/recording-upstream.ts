import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An AI provider in front of another one, which remembers the replies that it passed on. */
export interface RecordingUpstream {
  url: string;
  /** The body of the reply with this `request-id`, as far as it came. */
  replyOf(requestId: string): Buffer | undefined;
  /** Number of requests for messages. */
  total(): number;
  /** Every request. */
  requests: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders }[];
  close(): Promise<void>;
}

/** Starts it. @param target the provider's address, with a path. @param changed headers that a reply has instead of its own */
export async function startRecordingUpstream(
  target: string,
  changed: (headers: IncomingHttpHeaders) => IncomingHttpHeaders = () => ({}),
): Promise<RecordingUpstream> {
  const replies = new Map<string, Buffer[]>();
  const requests: RecordingUpstream['requests'] = [];
  const server = createServer((request, reply) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const { host: _, ...headers } = request.headers;
    const passed = httpRequest(`${target}${request.url}`, { method: request.method, headers }, (answer) => {
      const pieces: Buffer[] = [];
      replies.set(String(answer.headers['request-id']), pieces);
      reply.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...changed(answer.headers) });
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece);
        reply.write(piece);
      });
      answer.once('end', () => reply.end());
      answer.once('error', () => reply.destroy());
    });
    passed.once('error', () => reply.destroy());
    reply.once('close', () => passed.destroy());
    request.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    replyOf: (requestId) => {
      const pieces = replies.get(requestId);
      return pieces && Buffer.concat(pieces);
    },
    total: () => requests.filter(({ url }) => url?.endsWith('/messages')).length,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
