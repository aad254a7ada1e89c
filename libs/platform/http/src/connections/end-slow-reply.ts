import type { ServerResponse } from 'node:http';

/** Cuts a client off that has not taken its whole reply `patienceMs` after the last of it was `written`. */
export function endSlowReply(reply: ServerResponse, written: Promise<void>, patienceMs: number): void {
  void written.then(() => {
    if (reply.destroyed || reply.closed) return;
    const timer = setTimeout(() => reply.destroy(), patienceMs).unref();
    reply.once('close', () => clearTimeout(timer));
  });
}
