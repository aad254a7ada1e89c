import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * An AI provider whose replies have texts of a chosen size. It is a separate process, so that the test can go on
 * measuring.
 */
export interface GiantUpstream {
  url: string;
  /** Sets the size of the replies' texts in bytes, and whether the length is announced. */
  reply(textBytes: number, announced?: boolean): Promise<void>;
  close(): Promise<unknown>;
}

const PROGRAM = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  let reply = Buffer.alloc(0);
  parentPort.on('message', ({ textBytes, announced }) => {
    const usage = '"usage":{"input_tokens":1,"output_tokens":1}';
    const body = '{"type":"message","content":[{"type":"text","text":"' + 'x'.repeat(textBytes) + '"}],' + usage + '}';
    const length = announced ? 'content-length: ' + body.length : 'connection: close';
    reply = Buffer.from('HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\n' + length + '\\r\\n\\r\\n' + body);
    parentPort.postMessage('ready');
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (!data.toString('latin1').startsWith('POST ')) return;
      socket.write(reply);
      if (reply.includes('connection: close')) socket.end();
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

export async function startGiantUpstream(): Promise<GiantUpstream> {
  const worker = new Worker(PROGRAM, { eval: true });
  const [port] = (await once(worker, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    reply: async (textBytes, announced = true) => {
      worker.postMessage({ textBytes, announced });
      await once(worker, 'message');
    },
    close: () => worker.terminate(),
  };
}
