import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { onReplyClosed } from './connections';

/** Bytes that a reader takes at least in the time that it has. */
const LEAST_BYTES = 64 * 1024;
const LOOK_MS = 500;

/** Connections whose reply has a patience of its own. */
const excepted = new WeakSet<Socket>();

/** What a connection whose bytes wait had taken at a time. */
interface Progress {
  taken: number;
  at: number;
}

/** Closes connections whose reader takes less than {@link LEAST_BYTES} in `patienceMs` while bytes wait for it. */
export function endSlowReaders(server: Server, patienceMs: number, ended: () => void): void {
  const open = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  const look = () => {
    const now = performance.now();
    for (const [socket, before] of open) {
      if (socket.writableLength === 0 || excepted.has(socket)) {
        if (before) open.set(socket, undefined);
        continue;
      }
      const taken = bytesTaken(socket);
      if (!before || taken - before.taken >= LEAST_BYTES) open.set(socket, { taken, at: now });
      else if (now - before.at >= patienceMs) {
        socket.destroy();
        ended();
      }
    }
  };
  const timer = setInterval(look, Math.min(LOOK_MS, patienceMs / 4)).unref();
  server.once('close', () => clearInterval(timer));
}

/**
 * Gives the reader of a reply another patience: it is disconnected if it has not received the whole reply `patienceMs` after the last
 * of it was `written`.
 */
export function waitForReader(reply: FastifyReply, written: Promise<void>, patienceMs: number): void {
  const { raw } = reply;
  const { socket } = raw;
  if (socket) {
    excepted.add(socket);
    onReplyClosed(raw, () => excepted.delete(socket));
  }
  void written.then(() => {
    if (raw.destroyed || raw.closed) return;
    const timer = setTimeout(() => raw.destroy(), patienceMs).unref();
    raw.once('close', () => clearTimeout(timer));
  });
}

/**
 * Bytes that the system has taken from this process. `bytesWritten` counts those that wait, and `writableLength` all of a write
 * until its last byte is taken; Node's own time-out of sockets asks the handle as well.
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } | null };
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten - socket.writableLength;
}
