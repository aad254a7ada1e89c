import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onReplyClosed } from './on-reply-closed';

/**
 * Bounds a server's connections. A connection above the bound replaces the one that has been idle longest, so that idle
 * clients do not shut others out. If none is idle, the new one is closed without a reply, so that a proxy tries another
 * replica.
 */
export function boundConnections(server: Server, most: number): void {
  let open = 0;
  /** Connections without a request in progress, the longest idle first. */
  const idle = new Set<Socket>();
  server.prependListener('connection', (socket: Socket) => {
    open++;
    socket.once('close', () => {
      open--;
      idle.delete(socket);
    });
    if (open > most) {
      const [longest] = idle;
      if (!longest) {
        // After the server has registered the connection.
        process.nextTick(() => socket.destroy());
        return;
      }
      idle.delete(longest);
      longest.destroy();
    }
    idle.add(socket);
  });
  server.prependListener('request', ({ socket }: IncomingMessage, reply: ServerResponse) => {
    idle.delete(socket);
    onReplyClosed(reply, () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
