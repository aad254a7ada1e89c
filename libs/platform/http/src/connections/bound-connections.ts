import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onReplyClosed } from './on-reply-closed';

/**
 * Keeps a server's connections within a bound. One too many takes the place of the connection that has been idle longest, so
 * that clients which only keep connections open do not shut the others out. When none is idle it is closed without a word,
 * so that a proxy turns to another replica.
 */
export function boundConnections(server: Server, most: number): void {
  let open = 0;
  /** Connections without a request under way, the one idle longest first. */
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
        // Not before the server has taken note of it.
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
